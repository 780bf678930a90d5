extension String {
    /// The text in a page of HTML, also within quotes; what no page may hold is escaped as `printable` does.
    package var htmlEscaped: String {
        printable(utf8).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

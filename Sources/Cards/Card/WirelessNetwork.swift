extension Card {
    /// The text of a QR code by which telephones join a wireless network, `WIFI:T:WPA;S:network;P:password;;` (ZXing, Barcode
    /// Contents); nil of other kinds.
    public var wirelessNetwork: String? {
        guard schema.name == "wifi", let network = fields.texts["network"] else { return nil }
        guard let password = fields.texts["password"], !password.isEmpty else {
            return "WIFI:T:nopass;S:\(Self.escaped(network));;"
        }
        // WPA2 and WPA3 go by the name of the first.
        let isWEP = fields.texts["security"]?.uppercased().contains("WEP") ?? false
        return "WIFI:T:\(isWEP ? "WEP" : "WPA");S:\(Self.escaped(network));P:\(Self.escaped(password));;"
    }

    /// A text with a backslash before each sign that has a meaning there.
    private static func escaped(_ text: String) -> String {
        text.map { "\\;,:\"".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}

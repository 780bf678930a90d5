extension Card {
    /// The line that holds one-time codes: the field `totp`, or the first that is an `otpauth://` address.
    public var oneTimePasswordLine: Line? {
        lines.first { $0.key == "totp" } ?? lines.first { $0.value.hasPrefix("otpauth://") }
    }
}

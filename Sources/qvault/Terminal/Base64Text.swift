import VaultCrypto

/// Base64 as text.
func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encoded(bytes.span), as: UTF8.self) }

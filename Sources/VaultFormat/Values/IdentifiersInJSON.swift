/// In hexadecimal digits, like those below.
extension RecordID: JSONValue {}

extension VaultID: JSONValue {}

extension Bytes32: JSONValue {}

/// Keys of an entry's map, by their one-byte encodings.
enum EntryKey {
    static let id: UInt8 = 0
    static let kind: UInt8 = 1
    static let revision: UInt8 = 2
    static let salt: UInt8 = 3
    static let place: UInt8 = 4
    static let length: UInt8 = 5
    static let created: UInt8 = 6
    static let updated: UInt8 = 7
    static let parent: UInt8 = 8
    static let first: UInt8 = 9
    static let last: UInt8 = 10
    static let flags: UInt8 = 11
    static let overview: UInt8 = 12
    static let otherLength: UInt8 = 13
    static let hint: UInt8 = 14
    static let form: UInt8 = 15
    static let inner: UInt8 = 20
    static let former: UInt8 = 21
    static let origin: UInt8 = 22

    /// Bits of the keys that an entry, a past entry and a tombstone must have.
    static let live: UInt16 = 0b1_0010_1111_1111
    static let past: UInt16 = live | 1 << last
    static let tombstone: UInt16 = 1 << id | 1 << revision | 1 << updated | 1 << first | 1 << flags
    static let optional: UInt16 = 1 << parent | 1 << flags | 1 << otherLength | 1 << hint | 1 << form
}

import Values

/// A name that several things have, or that one has only in part where something is to be changed. At a terminal the person picks one by its number, and the verb runs again with it, so
/// that nobody waits for a lock meanwhile; elsewhere it is an error that lists them.
struct Ambiguity: Error {
    /// The name as it was typed.
    let name: [UInt8]
    /// The things: a word that means only this one, and how it is listed.
    let candidates: [(word: [UInt8], shown: String)]
    /// True if each is called just so.
    let isExact: Bool
    /// The vault that has them.
    var vault: BytePath?

    /// Things that a name means.
    init(_ name: [UInt8], _ candidates: [(word: [UInt8], shown: String)], isExact: Bool = true) {
        (self.name, self.candidates, self.isExact) = (name, candidates, isExact)
    }
}

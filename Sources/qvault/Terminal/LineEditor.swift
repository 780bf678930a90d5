import CLine
import CSystem
import Glibc
import VaultFormat
import VaultStore

/// Thrown by a question whose answer is the question before: the person pressed the up arrow.
struct WentBack: Error {}

/// The editing of a line at a terminal, by libedit: arrows, Home and End, words, Tab. Characters of two columns count as
/// they are shown.
enum LineEditor {
    /// False of a terminal that cannot move its cursor, and without the library.
    static var isPossible: Bool { !["dumb", "", nil].contains(environment("TERM")) && qv_line_is_possible() }

    /// True while the up arrow leads to the question before.
    @TaskLocal static var takesBack = false

    /// Asks for a line.
    ///
    /// - Parameters:
    ///   - terminal: open for reading and writing.
    ///   - text: what stands in the line at the start.
    /// - Returns: the line without its newline; nil where it cannot be edited, and nothing was read.
    /// - Throws: `WentBack`; `VaultError.cancelled` at Ctrl-D in an empty line, and at a signal.
    static func line(_ terminal: Int32, _ prompt: String, text: String, _ completion: LineCompletion) throws -> [UInt8]?
    {
        guard isPossible else { return nil }
        var line: UnsafeMutablePointer<CChar>?
        defer { unsafe free(line) }
        let end = unsafe withUnsafePointer(to: completion) { completion in
            unsafe prompt.withCString { prompt in
                unsafe text.withCString { text in
                    var question = unsafe qv_line_question(
                        terminal: terminal, prompt: prompt, text: text, takes_back: takesBack, complete: complete,
                        is_interrupted: { qv_interrupted() != 0 }, continued: { qv_continued() },
                        context: UnsafeMutableRawPointer(mutating: completion))
                    return unsafe qv_line_edit(&question, &line)
                }
            }
        }
        if end == QV_LINE_IMPOSSIBLE { return nil }
        if end != QV_LINE_ENTERED { try writeAll([0x0A].span, to: terminal, named: "/dev/tty") }
        try checkInterrupts()
        if end == QV_LINE_BACK { throw WentBack() }
        guard end == QV_LINE_ENTERED, let line = unsafe line else { throw VaultError.cancelled }
        return unsafe Array(UnsafeBufferPointer(start: line, count: strlen(line))).map { UInt8(bitPattern: $0) }
    }

    /// Asks questions one after the other; the up arrow leads back to the one before.
    static func inTurn<Question>(_ questions: [Question], _ ask: (Question) throws -> Void) throws {
        var place = 0
        while place < questions.count {
            do {
                try $takesBack.withValue(place > 0) { try ask(questions[place]) }
                place += 1
            } catch is WentBack { place -= 1 }
        }
    }
}

/// Completes the text before the cursor.
private func complete(
    _ context: UnsafeMutableRawPointer?, _ line: OpaquePointer?, _ before: UnsafePointer<CChar>?, _ count: Int
) -> Bool {
    guard let context = unsafe context, let before = unsafe before else { return false }
    let text = unsafe String(decoding: UnsafeRawBufferPointer(start: before, count: count), as: UTF8.self)
    let answer = unsafe context.assumingMemoryBound(to: LineCompletion.self).pointee.answer(to: text)
    if answer.deleted > 0 { unsafe qv_line_delete(line, answer.deleted) }
    if !answer.inserted.isEmpty { unsafe qv_line_insert(line, answer.inserted) }
    if !answer.choices.isEmpty { unsafe qv_line_show(line, terminalSafe(answer.choices, keeping: ["\n"])) }
    return answer.deleted > 0 || !answer.inserted.isEmpty
}

import CLine
import CSystem
import Glibc
import Synchronization
import VaultFormat
import VaultStore

/// Thrown by a question whose answer is the question before: the person pressed the up arrow.
struct WentBack: Error {
    /// The text of the line.
    var text = ""
}

/// One of several questions that are asked in turn.
final class QuestionInTurn: Sendable {
    /// True while the up arrow leads to the question before.
    let takesBack: Bool
    private let draft: Mutex<String?>

    /// - Parameter draft: what stood in the line when the person went back from it.
    init(takesBack: Bool, draft: String?) {
        self.takesBack = takesBack
        self.draft = Mutex(draft)
    }

    /// The draft, once.
    func takeDraft() -> String? {
        draft.withLock { draft in
            defer { draft = nil }
            return draft
        }
    }
}

/// The editing of a line at a terminal, by libedit: arrows, Home and End, words, Tab. Characters of two columns count as
/// they are shown.
enum LineEditor {
    /// False of a terminal that cannot move its cursor, and without the library.
    static var isPossible: Bool { !["dumb", "", nil].contains(environment("TERM")) && qv_line_is_possible() }

    /// The question that is asked, where it is one of several.
    @TaskLocal static var question: QuestionInTurn?

    /// True while the up arrow leads to the question before.
    static var takesBack: Bool { question?.takesBack ?? false }

    /// Asks for a line.
    ///
    /// - Parameters:
    ///   - terminal: open for reading and writing.
    ///   - input: the same terminal, open for reading without waiting.
    ///   - text: what stands in the line at the start.
    /// - Returns: the line without its newline; nil where it cannot be edited, and nothing was read.
    /// - Throws: `WentBack`; `VaultError.cancelled` at Ctrl-D in an empty line, and at a signal.
    static func line(
        _ terminal: Int32, _ input: Int32, _ prompt: String, text: String, _ completion: LineCompletion
    ) throws -> [UInt8]? {
        guard isPossible else { return nil }
        let text = question?.takeDraft() ?? text
        var line: UnsafeMutablePointer<CChar>?
        defer { unsafe free(line) }
        let end = unsafe withUnsafePointer(to: completion) { completion in
            unsafe prompt.withCString { prompt in
                unsafe text.withCString { text in
                    var question = unsafe qv_line_question(
                        terminal: terminal, input: input, prompt: prompt, text: text, takes_back: takesBack,
                        complete: complete,
                        is_interrupted: { qv_interrupted() != 0 }, continued: { qv_continued() },
                        context: UnsafeMutableRawPointer(mutating: completion))
                    return unsafe qv_line_edit(&question, &line)
                }
            }
        }
        if end == QV_LINE_IMPOSSIBLE { return nil }
        if end != QV_LINE_ENTERED { try writeAll([0x0A].span, to: terminal, named: "/dev/tty") }
        try checkInterrupts()
        let typed = unsafe line.map { line in
            unsafe Array(UnsafeBufferPointer(start: line, count: strlen(line))).map { UInt8(bitPattern: $0) }
        }
        if end == QV_LINE_BACK { throw WentBack(text: String(decoding: typed ?? [], as: UTF8.self)) }
        guard end == QV_LINE_ENTERED, let typed else { throw VaultError.cancelled }
        return typed
    }

    /// Asks questions one after the other; the up arrow leads back to the one before, and what stood in its line is there again
    /// when the person comes back.
    ///
    /// - Parameter keeping: called at Ctrl-C; true ends the questions, false asks the same one again.
    static func inTurn<Question>(
        _ questions: [Question], orKeeping keeping: () throws -> Bool = { throw VaultError.cancelled },
        _ ask: (Question) throws -> Void
    ) throws {
        var place = 0
        var drafts: [Int: String] = [:]
        while place < questions.count {
            let question = QuestionInTurn(takesBack: place > 0, draft: drafts.removeValue(forKey: place))
            do {
                try $question.withValue(question) { try ask(questions[place]) }
                place += 1
            } catch let back as WentBack {
                drafts[place] = back.text
                place -= 1
            } catch VaultError.cancelled where qv_interrupted() == SIGINT {
                if try keeping() { return }
            }
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

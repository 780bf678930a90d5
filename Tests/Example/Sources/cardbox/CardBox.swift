// cardbox VAULT add KIND TITLE KEY=VALUE… · find WORDS · list · check · watch
// The password is the first line of standard input.

import QuickVault

@main
struct CardBox {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 2 else { return print("cardbox VAULT add|find|list|check|watch …") }
        do {
            let vault = try await open(words[0], password: readLine() ?? "")
            switch words[1] {
            case "add": try await add(words.dropFirst(2), to: vault)
            case "find": try await find(words.dropFirst(2).joined(separator: " "), in: vault)
            case "list": try await list(vault)
            case "check": try await check(vault)
            case "watch": try await watch(vault)
            default: print("no such command: \(words[1])")
            }
        } catch {
            print("cardbox: \(message(for: error))")
        }
    }
}

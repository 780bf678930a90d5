import VaultFormat
import VaultStore

extension Verb {
    static let completion = Verb(
        name: "completion", summary: "print the shell's rules for completing qvault's arguments",
        operands: "bash|zsh|fish", operandCount: 1...1, options: [],
        example: (
            "qvault completion bash > ~/.local/share/bash-completion/completions/qvault",
            "takes effect in the next shell"
        )
    ) { arguments in
        let shell = String(decoding: arguments.operands[0], as: UTF8.self)
        switch shell {
        case "bash": try Command.print(Completion.bash)
        case "zsh": try Command.print(Completion.zsh)
        case "fish": try Command.print(Completion.fish)
        default:
            throw Failure(.usage, "completion: bash, zsh or fish, not '\(printable(shell.utf8))'")
        }
        return .done
    }
}

/// Completion rules, from the verbs' declarations.
private enum Completion {
    private static var verbs: [Verb] { Command.verbs }

    private static func names(_ verb: Verb) -> String {
        verb.allOptions.flatMap(\.names).joined(separator: " ")
    }

    static var bash: String {
        let cases = verbs.map { "        \($0.name)) words='\(names($0))' ;;" }.joined(separator: "\n")
        return """
            # bash completion for qvault
            _qvault() {
                local current=${COMP_WORDS[COMP_CWORD]} words=
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W '\(verbs.map(\.name).joined(separator: " ")) --help --version' -- "$current"))
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(cases)
                esac
                case $current in
                    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
                    *) COMPREPLY=($(compgen -f -- "$current")) ;;
                esac
            }
            complete -o filenames -F _qvault qvault

            """
    }

    static var zsh: String {
        let list = verbs.map { "        '\($0.name):\(quoted($0.summary.said))'" }.joined(separator: "\n")
        let cases = verbs.map { verb in
            let rows = verb.allOptions.flatMap { option in
                option.names.map { name in
                    "'\(name)[\(quoted(option.help.said, also: "[]:"))]"
                        + (option.value.map { ":\(quoted($0, also: "[]:")):_files" } ?? "") + "'"
                }
            }
            return "        \(verb.name)) _arguments -S \(rows.joined(separator: " ")) '*:file:_files' ;;"
        }
        return """
            #compdef qvault
            _qvault() {
                local -a verbs
                verbs=(
            \(list)
                )
                if (( CURRENT == 2 )); then
                    _describe verb verbs
                    return
                fi
                local verb=$words[2]
                shift words
                (( CURRENT-- ))
                case $verb in
            \(cases.joined(separator: "\n"))
                esac
            }
            if [ "$funcstack[1]" = _qvault ]; then _qvault "$@"; else compdef _qvault qvault; fi

            """
    }

    static var fish: String {
        let lines = verbs.flatMap { verb -> [String] in
            let isVerb = "-n '__fish_seen_subcommand_from \(verb.name)'"
            let options = verb.allOptions.map { option in
                let names = option.names.map { name in
                    name.hasPrefix("--") ? "-l \(name.dropFirst(2))" : "-s \(name.dropFirst())"
                }
                return "complete -c qvault \(isVerb) \(names.joined(separator: " "))"
                    + (option.value == nil ? "" : " -r") + " -d '\(quoted(option.help.said))'"
            }
            let summary = quoted(verb.summary.said)
            return ["complete -c qvault -f -n __fish_use_subcommand -a \(verb.name) -d '\(summary)'"] + options
        }
        return "# fish completion for qvault\n" + lines.joined(separator: "\n") + "\n"
    }

    /// For single quotes of a shell; `also` gets a backslash.
    private static func quoted(_ text: String, also special: String = "") -> String {
        text.map { $0 == "'" ? #"'\''"# : special.contains($0) || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}

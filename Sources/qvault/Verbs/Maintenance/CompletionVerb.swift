import VaultFormat

extension Verb {
    /// - Parameter index: all verbs; asked for when the verb runs, since it is one of them.
    static func completion(_ index: @escaping @Sendable () -> VerbIndex) -> Verb {
        Verb(
            name: "completion", summary: "print the shell's rules for completing qvault's arguments",
            operands: "bash|zsh|fish  or  for WORD…", operandCount: 1...Int.max,
            example: "qvault completion bash > ~/.local/share/bash-completion/completions/qvault",
            note: "takes effect in the next shell"
        ) { arguments in
            let shell = arguments.words[0]
            guard shell == "for" || arguments.operands.count == 1 else {
                throw Failure(.usage, "completion: '\(printable(arguments.operands[1]))' is one too many")
            }
            switch shell {
            case "for":
                var out = StandardOutput()
                for word in Candidates.of(arguments.operands.dropFirst(), index()) {
                    try out.write((word + [0x0A]).span)
                }
                try out.flush()
            case "bash": return try StandardOutput.print(Completion(verbs: index().all).bash)
            case "zsh": return try StandardOutput.print(Completion(verbs: index().all).zsh)
            case "fish": return try StandardOutput.print(Completion(verbs: index().all).fish)
            default: throw Failure(.usage, "completion: bash, zsh or fish, not '\(printable(shell.utf8))'")
            }
            return .done
        }
    }
}

/// Completion rules, from the verbs' declarations. Some verbs have two words, like `key list`.
private struct Completion {
    let verbs: [Verb]

    /// First words, each once, with the second words that go with it.
    private var words: [(first: String, second: [Verb])] {
        var result: [(first: String, second: [Verb])] = []
        for verb in verbs {
            let parts = verb.name.split(separator: " ").map(String.init)
            if result.last?.first != parts[0] { result.append((parts[0], [])) }
            if parts.count > 1 { result[result.count - 1].second.append(verb) }
        }
        return result
    }

    private func second(_ verb: Verb) -> String { String(verb.name.drop { $0 != " " }.dropFirst()) }

    private func summary(_ first: String) -> String {
        let kin = verbs.filter { $0.name == first || $0.name.hasPrefix(first + " ") }
        return kin.count == 1 && kin[0].name == first ? kin[0].summary.said : kin.map(second).listed
    }

    private func names(_ verb: Verb) -> String { verb.allOptions.flatMap(\.names).joined(separator: " ") }

    var bash: String {
        script(
            PackageResources.qvault_bash, first: words.map(\.first).joined(separator: " "),
            pairs: pairs { first, seconds in
                """
                        \(first))
                            if [ "$COMP_CWORD" -eq 2 ]; then
                                COMPREPLY=($(compgen -W '\(seconds.map(second).joined(separator: " "))' -- "$current"))
                                return
                            fi
                            verb="$verb ${COMP_WORDS[2]}" ;;
                """
            }, cases: verbs.map { "        '\($0.name)') words='\(names($0))' ;;" })
    }

    var zsh: String {
        script(
            PackageResources.qvault_zsh,
            first: words.map { "        '\($0.first):\(quoted(summary($0.first)))'" }.joined(separator: "\n"),
            pairs: pairs { first, seconds in
                """
                        \(first))
                            if (( CURRENT == 2 )); then
                                verbs=(\(seconds.map { "'\(second($0)):\(quoted($0.summary.said))'" }.joined(separator: " ")))
                                _describe verb verbs
                                return
                            fi
                            verb="$verb $words[2]"
                            shift words
                            (( CURRENT-- )) ;;
                """
            },
            cases: verbs.map { verb in
                let rows = verb.allOptions.flatMap { option in
                    option.names.map { name in
                        "'\(name)[\(quoted(option.help.said, also: "[]:"))]"
                            + (option.value.map { ":\(quoted($0, also: "[]:")):_files" } ?? "") + "'"
                    }
                }
                return "        '\(verb.name)') _arguments -S \(rows.joined(separator: " ")) '*:name:_qvault_names' ;;"
            })
    }

    /// A script of the folder Completion, with its parts in their places.
    private func script(_ script: [UInt8], first: String, pairs: [String], cases: [String]) -> String {
        String(decoding: script, as: UTF8.self).replacing("@first@", with: first)
            .replacing("@pairs@", with: pairs.joined(separator: "\n"))
            .replacing("@cases@", with: cases.joined(separator: "\n"))
    }

    /// The rules of first words that have second ones.
    private func pairs(_ rule: (String, [Verb]) -> String) -> [String] {
        words.filter { !$0.second.isEmpty }.map { rule($0.first, $0.second) }
    }

    var fish: String {
        let tops = words.map {
            "complete -c qvault -f -n __fish_use_subcommand -a \($0.first) -d '\(quoted(summary($0.first)))'"
        }
        let lines = verbs.flatMap { verb -> [String] in
            let parts = verb.name.split(separator: " ")
            let seen = parts.map { "__fish_seen_subcommand_from \($0)" }
            let options = verb.allOptions.map { option in
                let names = option.names.map { name in
                    name.hasPrefix("--") ? "-l \(name.dropFirst(2))" : "-s \(name.dropFirst())"
                }
                return "complete -c qvault -n '\(seen.joined(separator: "; and "))' \(names.joined(separator: " "))"
                    + (option.value == nil ? "" : " -r") + " -d '\(quoted(option.help.said))'"
            }
            guard parts.count > 1 else { return options }
            let kin = verbs.filter { $0.name.hasPrefix(parts[0] + " ") }.map(second).joined(separator: " ")
            let top = "complete -c qvault -f -n '\(seen[0]); and not __fish_seen_subcommand_from \(kin)'"
            return ["\(top) -a \(parts[1]) -d '\(quoted(verb.summary.said))'"] + options
        }
        let names =
            "complete -c qvault -n 'not __fish_use_subcommand' "
            + "-a '(qvault completion for -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'"
        return "# fish completion for qvault\n" + (tops + [names] + lines).joined(separator: "\n") + "\n"
    }

    /// For single quotes of a shell; `also` gets a backslash.
    private func quoted(_ text: String, also special: String = "") -> String {
        text.map { $0 == "'" ? #"'\''"# : special.contains($0) || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}

// qvault: the command. One file per verb; each verb is declared once, and parsing, help, manual and completion come
// from that declaration. Nothing here knows bytes of the format or file calls on a vault: that is VaultStore's.
//
// Rules of its speech: results on standard output, all else on standard error behind "qvault: ", no capital at the
// start and no full stop, a hint where there is something to do; the exit code says which kind of failure it was.

import Glibc
import VaultFormat

let command = Command(
    index: .qvault,
    start: ["qvault keeps cards, pictures and files in one encrypted file", "usage: qvault VERB [OPTION…] …"],
    end: {
        [
            "topics, for 'qvault help TOPIC':", Phrase(stringLiteral: Guide.list),
            "'qvault VERB --help' says more, with an example; 'qvault' alone lists the cards, 'qvault --plain' shows how things are",
        ]
    },
    page: { Guide.page($0) }, topics: Guide.topics.map(\.name),
    perform: { verb, arguments in
        try ShownSaves.run(verb, arguments) {
            try CardPicker.asking(arguments, verb) { try Ambiguity.asking($0, verb.run) }
        }
    },
    bare: { try Home.run($0) })
exit(command.main())

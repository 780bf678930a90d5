import Glibc
import VaultFormat
import VaultIO
import VaultStore

extension Verb {
    static let verify = Verb(
        name: "verify", summary: "check that vaults are whole and unchanged", operands: "FILE|DIR|-…",
        operandCount: 0...Int.max,
        options: [
            .vault, Option(.keyless, help: "look for damage only; needs no password, finds no tampering"),
            Option(
                .auditKey, value: "FILE",
                help: "find tampering too, with this key, or a folder of keys, which cannot read", repeats: true),
            Option(.map, help: "list every damaged range of bytes"),
            Option(
                .expect, value: "FINGERPRINT",
                help: "fail (7) unless one of its saves has this fingerprint, as 'info' showed it then"),
            Option(
                .expectFile, value: "LIST",
                help: "the vaults that must be there, a line each: NAME [AGE [ID]], such as: documents-*.qvault 26h"),
            Option(
                .state, value: "FILE",
                help:
                    "remember what was checked when: the longest ago comes first, and what got older or forked is told"),
            Option(.maxAge, value: "TIME", help: "with --state: leave out what was found sound within this time"),
            Option(.maxDuration, value: "TIME", help: "begin no further file after this time"),
            Option(
                .format, value: "FORMAT",
                help: "nagios: one line, and exit codes 0 to 3; prometheus: metrics, for a textfile with -o"),
            Option(.output, also: "-o", value: "FILE", help: "where the metrics go; the file is replaced at once"),
            .json, .noProgress,
        ] + Option.password,
        example: "qvault verify --keyless backups/",
        note: "checks every .qvault file in the folder and beneath, on a machine that cannot read them; - is a stream"
    ) { arguments in
        let report = try FleetReport(arguments)
        return try report.answering {
            try Fleet(arguments).check(report)
        }
    }
}

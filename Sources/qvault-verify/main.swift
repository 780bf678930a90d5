// qvault-verify: the part of qvault for machines that keep backups and must not be able to read them. It checks, repairs and
// takes what `qvault push` sends. The sources are those of qvault; Package.swift lists them under QUICKVAULT_VERIFY.

import Glibc
import VaultFormat

let command = Command(
    index: .verify,
    start: [
        "qvault-verify checks, repairs and receives vaults on machines that keep backups",
        "usage: qvault-verify VERB [OPTION…] …",
    ],
    end: { ["'qvault-verify VERB --help' says more, with an example; 'man qvault-verify' has the exit codes"] },
    bare: { _ in throw Failure(.usage, "no verb is given", hint: "'qvault-verify --help' lists the verbs") })
exit(command.main())

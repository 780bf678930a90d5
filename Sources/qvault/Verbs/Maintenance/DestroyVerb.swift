import Glibc
import VaultFormat
import VaultStore

extension Verb {
    static let destroy = Verb(
        name: "destroy", summary: "overwrite a vault's key slots and remove the file, for good", operands: "FILE",
        options: [Option(.yes, help: "do not ask"), .wait, .json],
        example: "qvault destroy old.qvault",
        note: "asks first; copies, backups, snapshots and the disk itself may keep the old bytes"
    ) { arguments in
        let path = BytePath(arguments.operands[0])
        let wait = try arguments.wait()
        return try withVault(path) {
            if !arguments.has(.yes) {
                guard Terminal.isPresent else {
                    throw Failure(.refused, "\(path): nobody is there to ask", hint: "--yes destroys it without asking")
                }
                let word = try Terminal.ask("destroy \(path) for good? type yes: ")
                guard word == "yes" else { throw Failure(.refused, "\(path): left as it is") }
            }
            let places = Machine.witnesses?.places(path) ?? []
            let id = try Vault.destroy(at: path, in: Machine.store, timeout: wait)
            // The vault may live on at another path.
            if let id, Machine.witnesses?.forget(id, at: places) == true { try Machine.forget(id) }
            try Messages.done("destroyed \(path)", arguments, json: .path(path))
            Compaction.tellOfOtherCopies()
            return .done
        }
    }
}

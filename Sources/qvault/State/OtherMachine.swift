import CSystem
import Glibc
import VaultFormat
import VaultIO
import VaultStore

/// `HOST:PATH`, as scp and rsync write it: a vault on another machine, reached by ssh.
struct OtherMachine {
    let host: String
    let path: BytePath

    /// Nil for a path of this machine: one without a colon, or with a slash before it.
    ///
    /// - Parameter fileName: the file's name, where the place is a folder: `HOST:` or `HOST:PATH/`.
    init?(_ place: [UInt8], fileName: [UInt8]) {
        guard let colon = place.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            !place[..<colon].contains(UInt8(ascii: "/")),
            let host = String(validating: place[..<colon], as: UTF8.self), !host.hasPrefix("-")
        else { return nil }
        let path = place[(colon + 1)...]
        self.host = host
        self.path = BytePath(path.isEmpty || path.last == UInt8(ascii: "/") ? path + fileName : Array(path))
    }

    /// As a person writes it.
    var name: [UInt8] { Array((host + ":").utf8) + path.bytes }

    /// Speaks with `qvault serve` there, and waits for its end.
    ///
    /// - Parameter program: a shell command that reaches a host, which is given to it as $1; nil for `$QVAULT_SSH`, else ssh.
    /// - Throws: what `body` throws; a `Failure` of the other side in its own words, or one that says how ssh ended.
    func speak<R>(
        by program: String?, as role: ReplicaWire.Role, _ body: (ReplicaWire) throws -> R
    ) throws -> R {
        var (process, streams): (pid_t, (Int32, Int32)) = (0, (-1, -1))
        let ssh = program ?? environment("QVAULT_SSH") ?? "ssh"
        let started = unsafe withUnsafeMutablePointer(to: &streams) {
            unsafe $0.withMemoryRebound(to: Int32.self, capacity: 2) {
                unsafe qv_run_beside("exec " + ssh + " \"$1\" qvault serve", host, &process, $0)
            }
        }
        guard started == 0 else { throw IOError("run", BytePath("/bin/sh"), code: errno) }
        let (output, input) = streams
        let wire = ReplicaWire(
            read: { try StandardInput.fill(&$0, from: output, named: host, within: Self.patience) },
            write: { try writeAll($0, to: input, named: host) })
        var status: Int32 = 0
        func end() {
            close(input)
            close(output)
            // It ends by itself; one that does not is not waited for.
            for pause in 0..<600 {
                let ended = unsafe waitpid(process, &status, WNOHANG)
                if ended == process || ended < 0 && errno != EINTR { return }
                if pause == 500 { kill(process, SIGTERM) }
                qv_pause(10)
            }
            kill(process, SIGKILL)
            unsafe waitpid(process, &status, 0)
        }
        do {
            try wire.open(path, as: role)
            let result = try body(wire)
            end()
            return result
        } catch let error as ReplicaWire.RemoteFailure {
            end()
            throw said(error)
        } catch  where (error as? IOError)?.code == EPIPE || error as? FormatError == ReplicaWire.ended {
            // It may have said why before it ended.
            let last = wire.lastFailure()
            end()
            if let refusal = last as? ReplicaRefusal { throw refusal }
            if let remote = last as? ReplicaWire.RemoteFailure { throw said(remote) }
            if status >> 8 & 0xFF == 127 {
                throw Failure(.io, "\(host): qvault is not in the PATH there")
            }
            throw Failure(
                .io, "\(host): the connection ended; '\(ssh)' ended with status \(status >> 8 & 0xFF)",
                hint: "'\(ssh) \(host) qvault --version' shows whether it is reached, and has qvault in its PATH")
        } catch {
            let failure = failure(for: error, vault: nil)
            wire.fail(
                UInt8(clamping: failure.code.rawValue), failure.message.description, error as? ReplicaRefusal)
            end()
            throw error
        }
    }

    /// How long nothing may come, in milliseconds.
    private static let patience: UInt64 = 120_000

    /// A failure of the other side, in its own words.
    private func said(_ error: ReplicaWire.RemoteFailure) -> Failure {
        let code = error.code == 0 ? nil : ExitCode(rawValue: Int32(error.code))
        return Failure(
            code ?? .failure,
            error.message.isEmpty
                ? "\(host): it ended and gave no reason" : "\(host): \(printable(error.message.utf8))")
    }
}

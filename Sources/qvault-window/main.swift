// qvault-window: serves one vault to one browser on this machine (Spec/product/window.md). `qvault open` starts it. It reads the
// encrypted file for the page, which decrypts it, and runs `qvault` for all that changes something.
//
// usage: qvault-window COMMAND VAULT PORT en|zh text|json BROWSER|-

import CSystem
import Glibc
import Values

exit(main(CommandLine.arguments))

/// Runs the program with its words; its exit code.
func main(_ words: [String]) -> Int32 {
    guard words.count == 7, let port = UInt16(words[3]) else {
        complain(.usage)
        return 2
    }
    guard qv_fill_standard_descriptors() == 0, qv_harden_process() == 0, qv_watch_interrupts() == 0 else {
        complain(.noProtection)
        return 15
    }
    // The page asks for the secret: nothing else opens the vault.
    for name in ["QVAULT_FILE", "QVAULT_PASSWORD_FILE", "QVAULT_PASSWORD_COMMAND"] { unsafe unsetenv(name) }
    var browser: pid_t?
    do {
        try WindowServer.run(command: words[1], vault: words[2], port: port) { address in
            let result: JSON = ["path": words[2], "address": address]
            say(words[5] == "json" ? result.line : address, to: STDOUT_FILENO)
            if words[6] != "-" { browser = startBrowser(words[6], address) }
        } meanwhile: {
            var status: Int32 = 0
            guard let process = browser, unsafe waitpid(process, &status, WNOHANG) == process else { return }
            browser = nil
            if status != 0 { complain(.noBrowser) }
        }
        return 0
    } catch {
        complain(.noServer(port: port, reason: unsafe String(cString: strerror(error.code))))
        return 13
    }
}

func complain(_ complaint: Complaint) {
    let isChinese = CommandLine.arguments.count > 4 && CommandLine.arguments[4] == "zh"
    say("qvault: \(complaint.text(isChinese: isChinese))", to: STDERR_FILENO)
}

func say(_ text: String, to descriptor: Int32) {
    let line = Array((text + "\n").utf8)
    _ = unsafe write(descriptor, line, line.count)
}

/// Starts a browser with the address, and does not wait for it.
func startBrowser(_ program: String, _ address: String) -> pid_t? {
    let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    return startProgram([program, address], [nothing, nothing, nothing])
}

/// What a person reads when a request is refused or the program cannot run, in both languages.
enum RequestRefusal {
    case foreign
    case ofAnotherBrowser
    case usedAddress
    case nothingHere
    case tooLong(room: UInt64)
    case locked
    case noFile
    case tooMany
    case notAllowed
    case vaultGone
    case vaultReplaced
    case noCommand
    case longOutput
    case malformed(String)

    /// The status of HTTP.
    var status: Int {
        switch self {
        case .foreign, .ofAnotherBrowser, .usedAddress, .notAllowed: 403
        case .nothingHere, .noFile, .vaultGone: 404
        case .locked: 409
        case .vaultReplaced: 412
        case .tooLong: 413
        case .malformed: 400
        case .noCommand, .longOutput: 500
        case .tooMany: 503
        }
    }

    func text(isChinese: Bool) -> String { isChinese ? words.chinese : words.english }

    private var words: (english: String, chinese: String) {
        switch self {
        case .foreign: ("this address serves its own page alone", "这个地址只为自己的页面服务")
        case .ofAnotherBrowser:
            (
                "this window belongs to another browser: 'qvault open' opens a new one",
                "这个窗口属于另一个浏览器：运行“qvault open”可打开新的窗口"
            )
        case .usedAddress:
            (
                "this address was used already, or is none of this window: 'qvault open' opens a new one",
                "这个地址已经用过，或者不属于这个窗口：运行“qvault open”可打开新的窗口"
            )
        case .nothingHere: ("nothing is here", "这里什么也没有")
        case .tooLong(let room):
            (
                "too long: it may have \(room) bytes; 'qvault put' and 'qvault attach add' take longer files",
                "太大：最多 \(room) 字节；更大的文件请用“qvault put”或“qvault attach add”"
            )
        case .locked: ("the vault is locked", "保险库已锁定")
        case .tooMany: ("too many files at once", "一次的文件太多")
        case .noFile: ("no such file was sent", "没有收到这个文件")
        case .notAllowed: ("that is nothing that this page may do", "这个页面不能这样做")
        case .vaultGone: ("the vault is no longer where it was", "保险库已不在原来的位置")
        case .vaultReplaced: ("another file has the place of the vault", "保险库的位置上是另一个文件")
        case .noCommand: ("qvault could not be started", "无法启动 qvault")
        case .longOutput: ("the answer is too long", "结果太长")
        case .malformed(let what): ("wanted: \(what)", "需要：\(what)")
        }
    }
}

/// Why the program does not run.
enum Complaint {
    case usage
    case noProtection
    case noBrowser
    case noServer(port: UInt16, reason: String)

    func text(isChinese: Bool) -> String { isChinese ? words.chinese : words.english }

    private var words: (english: String, chinese: String) {
        switch self {
        case .usage: ("this program is started by 'qvault open'", "这个程序由“qvault open”启动")
        case .noProtection: ("cannot protect this process", "无法保护这个进程")
        case .noBrowser: ("no browser could be started: open the address above", "无法启动浏览器：请打开上面的地址")
        case .noServer(let port, let reason):
            ("cannot serve on 127.0.0.1:\(port): \(reason)", "无法在 127.0.0.1:\(port) 提供服务：\(reason)")
        }
    }
}

import Foundation
import Values
import VaultTesting

/// The output of strace for a command, as changes of the disk.
struct Strace {
    static let path = "/usr/bin/strace"
    private static let calls =
        "execve,openat,openat2,close,pwrite64,ftruncate,fdatasync,fsync,linkat,renameat,renameat2,unlinkat"
    /// Options that write every call with all its bytes to a file.
    static func recording(to file: String) -> [String] {
        [path, "-f", "-o", file, "-s", "100000000", "-xx", "-e", "trace=\(calls)"]
    }

    /// Options that do something to a call of the first thread, or of whichever thread comes to it first.
    static func injecting(_ spell: String, _ call: String, everyThread: Bool) -> [String] {
        [path] + (everyThread ? ["-f"] : []) + ["-y", "-o", "trace", "-e", "trace=\(call)", "-e", "inject=\(spell)"]
    }

    private let folder: String
    private var files: [Int: UInt64] = [:]
    private var folders: Set<Int> = []
    private var inodes: [BytePath: UInt64]
    private var nextInode: UInt64 = 1_000_000
    private(set) var operations: [Trace.Operation] = []

    /// Reads a recording of a command that ran in `folder`, where the files `before` were.
    init(_ text: String, folder: String, before: [BytePath: UInt64]) throws {
        (self.folder, inodes) = (folder, before)
        var unfinished: [Substring: String] = [:]
        // Programs that the command starts have descriptors of their own, with the same numbers.
        var (command, others): (Substring?, Set<Substring>) = (nil, [])
        for line in text.split(separator: "\n") {
            guard let space = line.firstIndex(of: " ") else { continue }
            let process = line[..<space]
            var call = line[space...].drop { $0 == " " }
            if call.hasPrefix("execve(") {
                command = command ?? process
                if process != command { others.insert(process) }
            }
            guard !others.contains(process) else { continue }
            if call.hasSuffix("<unfinished ...>") {
                let begun = String(call.dropLast("<unfinished ...>".count))
                // A sync covers what was written before it began.
                if begun.hasPrefix("fdatasync") || begun.hasPrefix("fsync") {
                    apply(begun + ") = 0")
                } else {
                    unfinished[process] = begun
                }
                continue
            }
            var whole = String(call)
            if call.hasPrefix("<... "), let end = call.firstRange(of: "resumed>") {
                call = call[end.upperBound...]
                guard let begun = unfinished.removeValue(forKey: process) else { continue }
                whole = begun + call
            }
            apply(whole)
        }
    }

    private mutating func apply(_ call: String) {
        guard let open = call.firstIndex(of: "("), let close = call.range(of: ")", options: .backwards),
            let result = call[close.upperBound...].split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
            result >= 0
        else { return }
        let words = call[call.index(after: open)..<close.lowerBound].components(separatedBy: ", ")
        let number = { (index: Int) in Int(words[index].filter(\.isNumber)) ?? -1 }
        switch call[..<open] {
        case "openat", "openat2": opened(words, result)
        case "close":
            files[number(0)] = nil
            folders.remove(number(0))
        case "pwrite64":
            guard let file = files[number(0)] else { return }
            operations.append(
                .write(file: file, offset: UInt64(number(3)), bytes: Array(bytes(words[1]).prefix(result))))
        case "ftruncate":
            if let file = files[number(0)] { operations.append(.truncate(file: file, length: UInt64(number(1)))) }
        case "fdatasync", "fsync":
            if let file = files[number(0)] { operations.append(.sync(file: file)) }
            if folders.contains(number(0)) { operations.append(.syncFolder) }
        case "linkat":
            // From the descriptor itself, or from its name below /proc.
            let source = String(decoding: bytes(words[1]), as: UTF8.self)
            let descriptor = source.isEmpty ? number(0) : Int(source.split(separator: "/").last ?? "") ?? -1
            if let file = files[descriptor] ?? inodes[BytePath(bytes(words[1]))] { named(file, words[3]) }
        case "renameat", "renameat2":
            if let file = inodes[BytePath(bytes(words[1]))] { named(file, words[3]) }
        case "unlinkat": if folders.contains(number(0)) { operations.append(.remove(BytePath(bytes(words[1])))) }
        default: break
        }
    }

    private mutating func named(_ file: UInt64, _ word: String) {
        inodes[BytePath(bytes(word))] = file
        operations.append(.name(file: file, BytePath(bytes(word))))
    }

    private mutating func opened(_ words: [String], _ descriptor: Int) {
        let path = String(decoding: bytes(words[1]), as: UTF8.self)
        let isBelow = Int(words[0]).map(folders.contains) ?? false
        let name = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
        if path == folder || path == "." && (isBelow || words[0] == "AT_FDCWD") {
            guard words.contains(where: { $0.contains("O_TMPFILE") }) else {
                folders.insert(descriptor)
                return
            }
            nextInode += 1
            files[descriptor] = nextInode
        } else if !name.contains("/"), isBelow || words[0] == "AT_FDCWD", name.hasSuffix(".qvault") {
            files[descriptor] = inodes[BytePath(name)]
        } else if name.hasPrefix(".qvault-tmp-") {
            nextInode += 1
            (files[descriptor], inodes[BytePath(name)]) = (nextInode, nextInode)
        }
    }

    /// A string as `-xx` prints it: `"\x61\x62"`.
    private func bytes(_ word: String) -> [UInt8] {
        var result: [UInt8] = []
        let text = Array(word.utf8)
        var index = 0
        while index + 3 < text.count {
            guard text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "x") else {
                index += 1
                continue
            }
            let digits = text[index + 2...index + 3].map { $0 < 58 ? $0 - 48 : $0 - 87 }
            result.append(digits[0] << 4 | digits[1])
            index += 4
        }
        return result
    }
}

// vault-fuzz: hostile input by the million, under AddressSanitizer.
//
// usage: vault-fuzz TARGET [libFuzzer options and corpora]; vault-fuzz seeds DIR writes the seeds of all targets.
// What a target gets is not a file but a recipe: which hashes and tags to make right again (a mutation that no hash
// stops gets far into the reader), and what to put where. Every target also holds what it gets back against what it
// must be, so that wrong answers are found and not only crashes.

import CFuzzer
import FuzzTargets
import Glibc

let arguments = CommandLine.arguments
guard arguments.count > 1, let target = FuzzTarget(rawValue: arguments[1]) else {
    if arguments.count > 2, arguments[1] == "seeds" {
        do { try Seeds.write(to: arguments[2]) } catch { print("vault-fuzz: \(error)") }
        exit(0)
    }
    print("usage: vault-fuzz \(FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")) [OPTION…] [CORPUS…]")
    exit(2)
}

/// Set before the fuzzer starts and never again.
nonisolated(unsafe) var chosen = target

private let callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32 = { data, count in
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    chosen.run(bytes)
    return 0
}

// The target's name is not libFuzzer's.
var words: [UnsafeMutablePointer<CChar>?] = []
for index in 0..<Int(CommandLine.argc) where index != 1 { words.append(CommandLine.unsafeArgv[index]) }
var count = Int32(words.count)
words.append(nil)
let status = words.withUnsafeMutableBufferPointer { buffer in
    var base = buffer.baseAddress
    return LLVMFuzzerRunDriver(&count, &base, callback)
}
exit(status)

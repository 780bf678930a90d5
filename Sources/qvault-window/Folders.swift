import CSystem
import Glibc
import Values

/// The folders of this machine, from which a person chooses one for backups.
enum Folders {
    /// Names that one answer has at most.
    private static let most = 2000

    /// A folder, the one above it, its folders by name, and places to begin at: the home folder, and what is plugged in.
    ///
    /// - Parameter path: absolute; else the home folder is meant. Where there is no such folder, or it cannot be read, the answer is of
    ///   the nearest one above.
    static func json(_ path: String) -> JSON {
        let wanted = path.hasPrefix("/") ? path : home
        // A longer one is no path of this system.
        var place = wanted.utf8.count < Int(PATH_MAX) ? wanted : "/"
        var found = read(place)
        while found == nil, place != "/" {
            place = above(place)
            found = read(place)
        }
        let (whole, names) = found ?? ("/", [])
        return [
            "path": whole, "above": whole == "/" ? nil : above(whole), "folders": Array(names.prefix(most)),
            "left_out": max(0, names.count - most), "is_writable": unsafe access(whole, W_OK) == 0,
            "is_another": place != wanted, "places": [home] + plugged,
        ]
    }

    /// The folder that a path lies in.
    private static func above(_ path: String) -> String {
        "/" + path.split(separator: "/").dropLast().joined(separator: "/")
    }

    /// The path of a folder without links, and its folders; nil where there is none, or it cannot be read.
    private static func read(_ path: String) -> (path: String, names: [String])? {
        guard let whole = realPath(path), let names = names(in: whole) else { return nil }
        return (whole, names)
    }

    private static var home: String {
        let home = unsafe getenv("HOME").flatMap { unsafe String(validatingCString: $0) } ?? ""
        return home.hasPrefix("/") ? home : "/"
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(validatingCString: found)
    }

    /// The folders in a folder, in the order of their names; hidden ones and names that cannot be typed are not among them.
    private static func names(in folder: String) -> [String]? {
        guard let stream = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(validatingCString: $0) }
            }
            guard let name, !name.hasPrefix("."),
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { continue }
            // A link to a folder is one too; what is surely none is not looked at.
            guard [UInt8(DT_DIR), UInt8(DT_LNK), UInt8(DT_UNKNOWN)].contains(unsafe entry.pointee.d_type) else {
                continue
            }
            var status = stat()
            guard unsafe stat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            names.append(name)
        }
        return names.sorted()
    }

    /// Folders of sticks and disks that are plugged in.
    private static var plugged: [String] {
        var folders: [String] = []
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        while unsafe qv_plugged_folder(UInt32(folders.count), &path, path.count) == 1 {
            folders.append(String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return folders
    }
}

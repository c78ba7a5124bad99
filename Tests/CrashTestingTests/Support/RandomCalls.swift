import DiskRecording
import Foundation
import LabSupport

@testable import CrashTesting

/// A disk in its simplest form, and random calls on it that a process could have made.
struct RandomCalls {
    final class File {
        var bytes: [UInt8] = []
    }

    private(set) var files: [String: File] = [:]
    private(set) var folders: Set<String> = ["", "d", "e"]
    private(set) var calls: [DiskCall] = []
    private var openFiles: [(number: Int, path: String, file: File)] = []
    private var bits: SeededGenerator
    private let mayFail: Bool

    static let start = DiskImage(files: ["a": bytes(1, count: 5000)], folders: ["d", "e"])

    init(seed: UInt64, mayFail: Bool) {
        bits = SeededGenerator(seed: seed)
        self.mayFail = mayFail
        files["a"] = File()
        files["a"]?.bytes = bytes(1, count: 5000)
    }

    var image: DiskImage {
        DiskImage(files: files.mapValues(\.bytes), folders: folders.filter { !$0.isEmpty })
    }

    mutating func make(_ count: Int) {
        for _ in 0..<count { makeOne() }
    }

    /// Flushes every file and folder.
    mutating func flushAll() {
        for path in files.keys.sorted() + folders.sorted() { calls.append(.flush(0, path)) }
    }

    private mutating func makeOne() {
        switch bits.number(below: 14) {
        case 0, 1: openOne()
        case 2, 3, 4: writeOne()
        case 5: resizeOne()
        case 6, 7: renameOne()
        case 8: removeOne()
        case 9: changeFolders()
        case 10: linkOne()
        case 11: exchangeTwo()
        default:
            let paths = files.keys.sorted() + folders.sorted()
            let fails = mayFail && bits.number(below: 3) == 0
            calls.append(.flush(0, paths[bits.number(below: paths.count)], fails: fails))
        }
    }

    private mutating func anyPath() -> String {
        let folder = folders.sorted()[bits.number(below: folders.count)]
        let name = ["a", "b", "c"][bits.number(below: 3)]
        return folder.isEmpty ? name : "\(folder)/\(name)"
    }

    private mutating func openOne() {
        let path = anyPath()
        let truncates = bits.number(below: 4) == 0
        let file = files[path] ?? File()
        if truncates { file.bytes = [] }
        files[path] = file
        let number = openFiles.count + 1
        openFiles.append((number, path, file))
        calls.append(.open(number, path, O_RDWR | O_CREAT | (truncates ? O_TRUNC : 0)))
    }

    private mutating func writeOne() {
        guard !openFiles.isEmpty else { return openOne() }
        let (number, path, file) = openFiles[bits.number(below: openFiles.count)]
        let offset = [0, 32, 500, 4096, 4000, file.bytes.count][bits.number(below: 6)]
        let count = [1, 120, 700, 4096, 5000][bits.number(below: 5)]
        let written = bytes(UInt8(2 + bits.number(below: 250)), count: count)
        let missing = max(0, offset + count - file.bytes.count)
        file.bytes += bytes(0, count: missing)
        file.bytes.replaceSubrange(offset..<offset + count, with: written)
        calls.append(
            .write(
                number, path, written, at: offset, synchronous: bits.number(below: 4) == 0,
                fails: mayFail && bits.number(below: 8) == 0))
    }

    private mutating func resizeOne() {
        guard !openFiles.isEmpty else { return openOne() }
        let (number, path, file) = openFiles[bits.number(below: openFiles.count)]
        let length = [0, 100, 4096, 4500, 9000][bits.number(below: 5)]
        if bits.number(below: 2) == 0 {
            file.bytes = Array(file.bytes.prefix(length)) + bytes(0, count: max(0, length - file.bytes.count))
            calls.append(.resize(number, path, to: length))
        } else {
            file.bytes += bytes(0, count: max(0, length - file.bytes.count))
            calls.append(.allocate(number, path, 0..<length))
        }
    }

    private mutating func renameOne() {
        let paths = files.keys.sorted()
        guard !paths.isEmpty else { return openOne() }
        let old = paths[bits.number(below: paths.count)]
        let new = anyPath()
        calls.append(.rename(old, to: new))
        // Renaming one name of a file to another of the same file does nothing.
        guard files[old] !== files[new] else { return }
        let file = files.removeValue(forKey: old)
        files[new] = file
    }

    private mutating func linkOne() {
        let paths = files.keys.sorted()
        let new = anyPath()
        guard !paths.isEmpty, files[new] == nil else { return openOne() }
        let old = paths[bits.number(below: paths.count)]
        calls.append(.link(old, to: new))
        files[new] = files[old]
    }

    private mutating func exchangeTwo() {
        let paths = files.keys.sorted()
        guard paths.count > 1 else { return openOne() }
        let one = paths[bits.number(below: paths.count)]
        let two = paths[bits.number(below: paths.count)]
        calls.append(.exchange(one, two))
        (files[one], files[two]) = (files[two], files[one])
    }

    private mutating func removeOne() {
        let paths = files.keys.sorted()
        guard !paths.isEmpty else { return openOne() }
        let path = paths[bits.number(below: paths.count)]
        files[path] = nil
        calls.append(.remove(path))
    }

    private mutating func changeFolders() {
        let path = ["d", "e", "d/f"][bits.number(below: 3)]
        if folders.contains(path) {
            let isEmpty = !(Array(files.keys) + folders).contains { $0.hasPrefix(path + "/") }
            guard isEmpty else { return }
            folders.remove(path)
            calls.append(.removeFolder(path))
        } else if folders.contains(DiskImage.folder(of: path)) {
            folders.insert(path)
            calls.append(.makeFolder(path))
        }
    }
}

import DiskRecording
import Foundation

@testable import CrashTesting

/// Concise factories for calls as they are recorded.
extension DiskCall {
    static func open(_ file: Int, _ path: String, _ flags: Int32 = O_RDWR | O_CREAT) -> DiskCall {
        DiskCall(kind: .open, file: file, path: path, flags: UInt32(flags), result: Int64(file))
    }

    static func write(
        _ file: Int, _ path: String, _ bytes: [UInt8], at offset: Int, synchronous: Bool = false, fails: Bool = false
    ) -> DiskCall {
        DiskCall(
            kind: .write, file: file, path: path, offset: offset, length: bytes.count, bytes: bytes,
            isSynchronous: synchronous, result: fails ? -1 : Int64(bytes.count), error: fails ? EIO : 0)
    }

    static func resize(_ file: Int, _ path: String, to length: Int) -> DiskCall {
        DiskCall(kind: .resize, file: file, path: path, offset: length)
    }

    static func allocate(_ file: Int, _ path: String, _ range: Range<Int>) -> DiskCall {
        DiskCall(kind: .allocate, file: file, path: path, offset: range.lowerBound, length: range.count)
    }

    static func flush(_ file: Int, _ path: String, fails: Bool = false) -> DiskCall {
        DiskCall(kind: .flush, file: file, path: path, result: fails ? -1 : 0, error: fails ? EIO : 0)
    }

    static func rename(_ path: String, to otherPath: String) -> DiskCall {
        DiskCall(kind: .rename, path: path, otherPath: otherPath)
    }

    static func exchange(_ path: String, _ otherPath: String) -> DiskCall {
        DiskCall(kind: .rename, path: path, otherPath: otherPath, flags: DiskHistory.exchangeFlag)
    }

    static func link(_ path: String, to otherPath: String) -> DiskCall {
        DiskCall(kind: .link, path: path, otherPath: otherPath)
    }

    static func remove(_ path: String) -> DiskCall { DiskCall(kind: .remove, path: path) }
    static func makeFolder(_ path: String) -> DiskCall { DiskCall(kind: .makeFolder, path: path) }
    static func removeFolder(_ path: String) -> DiskCall { DiskCall(kind: .removeFolder, path: path) }
}

extension DiskHistory {
    init(files: [String: [UInt8]] = [:], folders: [String] = [], _ calls: [DiskCall]) {
        self.init(DiskImage(files: files, folders: folders))
        for call in calls { apply(call) }
    }

    /// Returns the image of an outcome's text.
    func image(_ text: String) -> DiskImage { image(CrashOutcome(text)!) }

    var all: CrashOutcome { .all(of: units.count) }
}

func bytes(_ value: UInt8, count: Int) -> [UInt8] { Array(repeating: value, count: count) }

import Foundation

@testable import CrashTesting

/// A folder whose calls are recorded for as long as the value lives.
final class RecordedFolder {
    let path: String

    init() throws {
        path = "\(NSTemporaryDirectory())/daybook-disk-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try DiskLog.begin(folder: path)
    }

    deinit {
        DiskLog.end()
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The calls made so far.
    var calls: [DiskCall] {
        get throws {
            try DiskLog.entries().compactMap { entry in
                if case .call(let call) = entry { call } else { nil }
            }
        }
    }

    func calls(_ kind: DiskCall.Kind) throws -> [DiskCall] { try calls.filter { $0.kind == kind } }

    /// Opens a new file that is closed in the end.
    func create(_ name: String, flags: Int32 = O_RDWR) -> Int32 { open(file(name), flags | O_CREAT | O_CLOEXEC, 0o600) }
}

#if os(Linux)
    /// glibc declares it for GNU programs only.
    @_silgen_name("fallocate")
    func fallocate(_ descriptor: Int32, _ mode: Int32, _ offset: off_t, _ length: off_t) -> Int32

    /// The same.
    @_silgen_name("renameat2")
    func renameat2(
        _ folder: Int32, _ path: UnsafePointer<CChar>, _ otherFolder: Int32, _ otherPath: UnsafePointer<CChar>,
        _ flags: UInt32
    ) -> Int32
#endif

import Daybook
import DiskRecording
import Foundation
import Testing

@testable import CrashTesting

/// The suites that record. They run one at a time, since a process has one recorder.
@Suite(.serialized) enum WithDiskLog {}

/// A folder that is recorded for as long as the value lives.
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

    /// The calls so far.
    var calls: [DiskCall] {
        get throws {
            try DiskLog.entries().compactMap { entry in
                if case .call(let call) = entry { call } else { nil }
            }
        }
    }

    func calls(_ kind: DiskCall.Kind) throws -> [DiskCall] { try calls.filter { $0.kind == kind } }

    /// Opens a new file; the caller closes it.
    func create(_ name: String, flags: Int32 = O_RDWR) -> Int32 { open(file(name), flags | O_CREAT | O_CLOEXEC, 0o600) }
}

#if os(Linux)
    /// glibc declares it for GNU programs only.
    @_silgen_name("fallocate")
    func fallocate(_ descriptor: Int32, _ mode: Int32, _ offset: off_t, _ length: off_t) -> Int32

    /// As above.
    @_silgen_name("renameat2")
    func renameat2(
        _ folder: Int32, _ path: UnsafePointer<CChar>, _ otherFolder: Int32, _ otherPath: UnsafePointer<CChar>,
        _ flags: UInt32
    ) -> Int32
#endif

/// A folder for stores of the lab, in memory if possible; it is removed with this value.
final class LabFolder {
    let path: String
    var store: String { "\(path)/\(Recording.storePath)" }
    /// Discards what a child would report to the lab.
    let reporter: ChildReporter

    init() throws {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        path = "\(parent)/daybook-lab-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        reporter = ChildReporter(pipe: open("/dev/null", O_WRONLY | O_CLOEXEC))
    }

    deinit {
        close(reporter.pipe)
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension Context {
    /// The same for every call, so that work in it has equal counts.
    static func counted() -> Context {
        Context(
            clock: SettableClock(Instant(secondsSince1970: 1_773_144_000)), random: SeededRandomSource(seed: 1),
            currentZone: { .utc }, weekStart: .monday)
    }
}

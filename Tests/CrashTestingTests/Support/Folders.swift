import Daybook
import DiskRecording
import Foundation
import TestSupport
import Testing

@testable import CrashTesting

/// The suites that record. They run one at a time, since a process has one recorder.
@Suite(.serialized) enum WithDiskLog {}

/// A folder that is recorded for as long as the value lives.
final class RecordedFolder {
    private let folder = TemporaryFolder()
    var path: String { folder.path }

    init() throws {
        try DiskLog.begin(folder: path)
    }

    deinit {
        DiskLog.end()
    }

    func file(_ name: String) -> String { folder.file(name) }

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
    private let folder = TemporaryFolder(on: .memory)
    var path: String { folder.path }
    var store: String { "\(path)/\(Recording.storePath)" }
    /// Discards what a child would report to the lab.
    let reporter: ChildReporter

    init() throws {
        reporter = ChildReporter(pipe: open("/dev/null", O_WRONLY | O_CLOEXEC))
    }

    deinit {
        close(reporter.pipe)
    }
}

extension Recording {
    /// Judges the image that keeps nothing and the one that keeps everything, at each call and each acknowledgment. Returns the
    /// number of different ones, and what is wrong with them.
    func problems(_ judge: (DiskImage, RunProgress) throws -> Void) -> (tried: Int, [String]) {
        var history = DiskHistory(start)
        var progress = RunProgress()
        var seen: Set<String> = []
        var problems: [String] = []
        for entry in entries {
            switch entry {
            case .mark(let kind, let value, _):
                progress.take(kind, value)
                guard LabMark(rawValue: kind) == .acknowledged else { continue }
            case .call(let call):
                history.apply(call)
                guard call.changesDisk else { continue }
            }
            for outcome in [CrashOutcome.none, history.all] {
                let image = history.image(outcome)
                guard seen.insert("\(image.digest) \(progress.allowed)").inserted else { continue }
                do {
                    try judge(image, progress)
                } catch {
                    problems.append("\(error)")
                }
            }
        }
        return (seen.count, problems)
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

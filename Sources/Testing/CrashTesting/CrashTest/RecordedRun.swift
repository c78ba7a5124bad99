import DiskRecording
import DomainPacks
import Glibc

@_exported import struct DomainPacks.DomainChange
@_exported import struct DomainPacks.DomainDraw
@_exported import struct DomainPacks.DomainMoment
@_exported import struct DomainPacks.DomainOperation
@_exported import protocol DomainPacks.DomainPack

/// A recorded run of steps, whose images are opened in this process. State k follows step k.
struct RecordedRun: ExploredRun {
    let recording: Recording
    let seed: UInt64
    /// What precedes the crash in a reproducer.
    var prefix = ""

    /// Records what a closure does in a folder.
    static func record(
        in folder: String, from start: DiskImage, seed: UInt64, prefix: String = "",
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void
    ) async throws -> RecordedRun {
        try FolderFiles.replace(folder, with: start)
        try DiskLog.begin(folder: folder)
        defer { DiskLog.end() }
        try await work()
        let recording = Recording(
            start: start, entries: try DiskLog.entries().normalized,
            lockFile: FolderFiles.bytes(of: "\(folder)/\(Recording.lockPath)") ?? [])
        return RecordedRun(recording: recording, seed: seed, prefix: prefix)
    }

    func reproducer(of crash: RecordedCrash) -> String { prefix + crash.text }

    func key(of image: DiskImage, at point: CrashPoint) -> UInt64 { image.imageDigest() }

    func problem(ofState state: UInt64, at point: CrashPoint) -> String? {
        let (numbers, allowed) = (recording.states[state] ?? [], point.progress.allowed)
        guard let last = numbers.last else { return "the content is that of no step" }
        guard !numbers.contains(where: allowed.contains) else { return nil }
        return "the content is that after step \(last), but \(allowed.lowerBound) had returned and "
            + "\(allowed.upperBound) had begun"
    }
}

/// The result of a crash test.
public struct CrashTestReport: Sendable {
    /// The number of sequences of steps that were run.
    public internal(set) var workloads: Int
    /// The number of points at which the runs were crashed.
    public internal(set) var crashPoints: Int
    /// The number of crash images built.
    public internal(set) var imagesBuilt: Int
    /// Those that were opened; the others equal one of these in everything that a store can read.
    public internal(set) var imagesOpened: Int
    /// The broken promises, each with the calls before the crash and what the disk kept of them.
    public internal(set) var violations: [CrashViolation]

    init(_ explorer: LocalExplorer) {
        func count(_ group: String) -> Int { explorer.coverage.counts[group]?.values.reduce(0, +) ?? 0 }
        workloads = count("workloads")
        crashPoints = count("crash points")
        imagesBuilt = explorer.coverage.imagesBuilt
        imagesOpened = explorer.coverage.imagesOpened
        violations = explorer.violations
    }
}

/// A folder in memory if possible, removed with this value.
final class ScratchFolder {
    let path: String

    init() throws {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/daybook-crash-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CrashLabError.system(operation: "create a folder in \(parent)", code: errno)
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FolderFiles.remove(path)
    }
}

import ByteStreams
import DiskRecording
import DomainPacks
import Glibc
import KeyValue

@_exported import struct DomainPacks.DomainChange
@_exported import struct DomainPacks.DomainDraw
@_exported import struct DomainPacks.DomainMoment
@_exported import struct DomainPacks.DomainOperation
@_exported import protocol DomainPacks.DomainPack

/// The file system calls of one run of steps, and the content after each.
struct RecordedRun<Content: Sendable>: Sendable {
    /// The folder before.
    let start: DiskImage
    let entries: [DiskLog.Entry]
    /// Content k follows step k.
    let contents: [Content]
    /// The lock file as the run left it.
    let lockFile: [UInt8]
    /// What precedes the crash in a reproducer.
    var prefix = ""

    /// Where the store lies below the recorded folder. The store creates its parent folder.
    static var store: String { "home/store" }
}

/// What opening an image showed.
enum ShownContent<Content: Sendable>: Sendable {
    case content(Content)
    case broken(String)
}

/// Builds the crash images of recorded runs, opens each in this process, and reports those that break a promise.
struct CrashImages<Content: Equatable & Sendable> {
    private(set) var report = CrashTestReport()
    /// What equal images have shown.
    private var shown: [UInt64: ShownContent<Content>] = [:]
    let seed: UInt64
    /// The folder that images are opened in.
    let folder: String
    /// Opens the image in the folder.
    typealias Opening = (RecordedRun<Content>) async -> ShownContent<Content>

    /// It stops after so many violations.
    private let violationLimit: Int

    init(seed: UInt64, folder: String, violationLimit: Int = 10) {
        self.seed = seed
        self.folder = folder
        self.violationLimit = violationLimit
    }

    var isFull: Bool { report.violations.count >= violationLimit }

    /// Explores the crash points of a run after a number of steps have been issued.
    mutating func explore(
        _ run: RecordedRun<Content>, after first: Int = 0, limits: ExplorationLimits,
        isolation: isolated (any Actor)? = #isolation, open: Opening
    ) async throws {
        report.workloads += 1
        for point in CrashPoints(of: run.entries, from: run.start, after: first) {
            report.crashPoints += 1
            for outcome in point.outcomes(limits: limits, seed: seed) {
                guard !isFull else { return }
                let locks = LockFile.allCases
                let lock = locks[Int((seed &+ UInt64(report.imagesBuilt)) % UInt64(locks.count))]
                try await judge(outcome, lock, at: point, of: run, open: open)
            }
        }
    }

    /// Builds and opens the one image that a reproducer describes, without the prefix of its run.
    mutating func replay(
        _ reproducer: some StringProtocol, of run: RecordedRun<Content>, isolation: isolated (any Actor)? = #isolation,
        open: Opening
    ) async throws {
        report.workloads += 1
        let parts = reproducer.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 3, let sign = parts[0].last, let moment = CrashMoment(rawValue: String(sign)),
            let index = Int(parts[0].dropLast()), let outcome = CrashOutcome(String(parts[1])),
            let lock = LockFile.allCases.first(where: { $0.name == parts[2] }),
            let point = CrashPoint(at: index, moment, of: run.entries, from: run.start)
        else { throw CrashLabError.invalidReproducer(run.prefix + String(reproducer)) }
        report.crashPoints += 1
        try await judge(outcome, lock, at: point, of: run, open: open)
    }

    private mutating func judge(
        _ outcome: CrashOutcome, _ lock: LockFile, at point: CrashPoint, of run: RecordedRun<Content>,
        isolation: isolated (any Actor)? = #isolation, open: Opening
    ) async throws {
        var image = point.history.image(outcome)
        report.imagesBuilt += 1
        let digest = image.imageDigest()
        let found: ShownContent<Content>
        if let known = shown[digest] {
            found = known
        } else {
            lock.put(into: &image, stale: run.lockFile, store: RecordedRun<Content>.store)
            try FolderFiles.replace(folder, with: image)
            found = await open(run)
            shown[digest] = found
            report.imagesOpened += 1
        }
        let allowed = point.progress.acknowledged...max(point.progress.acknowledged, point.progress.issued)
        guard let problem = Self.problem(of: found, in: run, allowed: allowed) else { return }
        report.violations.append(
            CrashViolation(
                reproducer: "\(run.prefix)\(point.index)\(point.moment.rawValue)|\(outcome)|\(lock.name)",
                problem: problem, details: CrashExplanation.lines(of: run.entries, at: point, outcome)))
    }

    private static func problem(
        of found: ShownContent<Content>, in run: RecordedRun<Content>, allowed: ClosedRange<Int>
    ) -> String? {
        switch found {
        case .broken(let problem): return problem
        case .content(let content):
            let numbers = run.contents.indices.filter { run.contents[$0] == content }
            guard let last = numbers.last else { return "the content is that of no step: \(content)" }
            guard !numbers.contains(where: allowed.contains) else { return nil }
            return "the content is that after step \(last), but \(allowed.lowerBound) had returned and "
                + "\(allowed.upperBound) had begun"
        }
    }

    /// Adds the violation of a shorter run after the first one.
    mutating func add(shorter violation: CrashViolation) {
        report.violations.insert(violation, at: min(1, report.violations.count))
    }
}

/// The result of a crash test.
public struct CrashTestReport: Sendable {
    /// The number of sequences of steps that were run.
    public internal(set) var workloads = 0
    /// The number of points at which the runs were crashed.
    public internal(set) var crashPoints = 0
    /// The number of crash images built.
    public internal(set) var imagesBuilt = 0
    /// Those that were opened; the others equal one of these in everything that a store can read.
    public internal(set) var imagesOpened = 0
    /// The broken promises, each with the calls before the crash and what the disk kept of them.
    public internal(set) var violations: [CrashViolation] = []
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

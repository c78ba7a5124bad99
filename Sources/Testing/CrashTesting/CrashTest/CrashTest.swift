import Daybook
import Glibc

/// Replays every disk state that a crash could leave while a program writes its records, and checks each one.
///
/// A crash test runs some steps once on a store in an empty folder and records every file system call. It then builds the
/// crash images of every call: all writes kept, none kept, each lost alone, torn writes, and so on. It opens each image
/// with the program's own `open` closure and checks that
///
/// - the store opens without help and its content is that after a step, from the last one that had returned to the one
///   that was running: every step is all or nothing, and none that returned is lost;
/// - the invariant holds;
/// - `verify` finds nothing.
///
/// ```swift
/// let test = CrashTest { path in
///     try DaybookStore.open(at: path, records: Schema().adding(Reading.collection))
/// } reading: { store in
///     try store.read { try $0[Reading.byTime].all().map(\.sensor) }
/// }
/// let report = try await test.run([
///     { try await Readings(daybook: $0).measure(21.5, by: "north bench") },
///     { try await Readings(daybook: $0).measure(36, by: "south bench") },
/// ])
/// #expect(report.violations.isEmpty)
/// ```
///
/// Each step must be one transaction, since a crash between two transactions of a step would leave a state between two
/// steps. A step may throw only if it leaves the content unchanged.
///
/// A process can record one folder at a time, so put suites that run crash tests under one `.serialized` suite. The images
/// are opened in this process: what would crash the program ends the test process. Linux only.
///
/// - Important: This module contains definitions of libc's file calls, which record calls and otherwise pass them on to
///   the kernel. Depend on it from test targets only, never from a program that people run.
public struct CrashTest<Content: Equatable & Sendable>: Sendable {
    /// One transaction of a workload.
    public typealias Step = @Sendable (DaybookStore) async throws -> Void

    /// Determines the sampled images and lock files.
    public var seed: UInt64 = 1
    /// Up to this many pending writes, every subset is tried; beyond it, a sample.
    public var subsetLimit = 8
    /// Fills the store before the recording begins.
    public var prepare: Step = { _ in }
    /// Checks a store opened from a crash image; throws what is wrong.
    public var invariant: @Sendable (DaybookStore) throws -> Void = { _ in }
    /// Checks only the image that this reproducer of an earlier report describes.
    public var replaying: String?

    private let open: @Sendable (String) throws -> DaybookStore
    private let read: @Sendable (DaybookStore) throws -> Content

    /// Creates a crash test.
    ///
    /// - Parameters:
    ///   - open: opens the store in a folder, as the program does. Use a fixed clock and random source, so that runs are
    ///     reproducible.
    ///   - read: returns the content by which states are compared.
    public init(
        opening open: @escaping @Sendable (String) throws -> DaybookStore,
        reading read: @escaping @Sendable (DaybookStore) throws -> Content
    ) {
        self.open = open
        self.read = read
    }

    /// Runs the steps and checks every crash image. Stops after ten violations.
    ///
    /// - Throws: the error of `open`, `prepare`, a step or `read` without a crash, or an error that keeps the recorder from
    ///   working, such as another recording in this process.
    public func run(_ steps: [Step], isolation: isolated (any Actor)? = #isolation) async throws -> CrashTestReport {
        let scratch = try ScratchFolder()
        let folder = "\(scratch.path)/recorded"
        try FolderFiles.replace(folder, with: DiskImage())
        var states: [Content] = []
        let prepared = try open(path(in: folder))
        do {
            try await prepare(prepared)
            states.append(try read(prepared))
        } catch {
            prepared.close()
            throw error
        }
        prepared.close()
        let start = try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
        try DiskLog.begin(folder: folder)
        defer { DiskLog.end() }
        let store = try open(path(in: folder))
        do {
            DiskLog.note(.acknowledged, 0)
            for (index, step) in steps.enumerated() {
                DiskLog.note(.issued, Int64(index + 1))
                try await step(store)
                DiskLog.note(.acknowledged, Int64(index + 1))
                states.append(try read(store))
            }
        } catch {
            store.close()
            throw error
        }
        store.close()
        let entries = try DiskLog.entries().normalized
        DiskLog.end()
        let lockFile = FolderFiles.bytes(of: "\(path(in: folder))/\(LockFile.fileName)") ?? []
        return try check(entries, from: start, states: states, stale: lockFile, in: "\(scratch.path)/image")
    }

    // MARK: Images

    private func check(
        _ entries: [DiskLog.Entry], from start: DiskImage, states: [Content], stale: [UInt8], in folder: String
    ) throws -> CrashTestReport {
        var report = CrashTestReport()
        var results: [UInt64: ImageResult] = [:]
        let limits = ExplorationLimits(subsetLimit: subsetLimit, samples: 4 * subsetLimit, tears: 2 * subsetLimit)
        for point in CrashPoints(of: entries, from: start) {
            report.crashPoints += 1
            for outcome in point.outcomes(limits: limits, seed: seed) {
                let crash = "\(point.index)\(point.moment.rawValue)|\(outcome)|"
                let locks = LockFile.allCases
                let lock: LockFile
                if let replaying {
                    guard let replayed = locks.first(where: { crash + $0.name == replaying }) else { continue }
                    lock = replayed
                } else {
                    lock = locks[Int((seed &+ UInt64(report.imagesBuilt)) % UInt64(locks.count))]
                }
                var image = point.history.image(outcome)
                report.imagesBuilt += 1
                let digest = image.imageDigest()
                let result: ImageResult
                if let known = results[digest] {
                    result = known
                } else {
                    lock.put(into: &image, stale: stale, store: Self.store)
                    try FolderFiles.replace(folder, with: image)
                    result = open(in: folder, states: states)
                    results[digest] = result
                    report.imagesOpened += 1
                }
                let allowed = point.progress.acknowledged...max(point.progress.acknowledged, point.progress.issued)
                guard let problem = result.problem(allowed: allowed) else { continue }
                report.violations.append(
                    CrashViolation(
                        reproducer: crash + lock.name, problem: problem,
                        details: CrashExplanation.lines(of: entries, at: point, outcome)))
                if report.violations.count == 10 { return report }
            }
        }
        if let replaying, report.imagesBuilt == 0 { throw CrashLabError.invalidReproducer(replaying) }
        return report
    }

    private func open(in folder: String, states: [Content]) -> ImageResult {
        do {
            let store = try open(path(in: folder))
            defer { store.close() }
            let content = try read(store)
            var numbers: [Int] = []
            for (number, state) in states.enumerated() where state == content { numbers.append(number) }
            guard !numbers.isEmpty else { return .broken("the content is that of no step: \(content)") }
            try invariant(store)
            if let problem = try store.verify().problems.first { return .broken("verify reports: \(problem)") }
            return .states(numbers)
        } catch {
            return .broken("\(error)")
        }
    }

    private static var store: String { "home/store" }

    private func path(in folder: String) -> String { "\(folder)/\(Self.store)" }
}

/// What opening an image showed.
private enum ImageResult {
    /// The numbers of the steps after which the store had this content.
    case states([Int])
    case broken(String)

    func problem(allowed: ClosedRange<Int>) -> String? {
        switch self {
        case .broken(let problem): problem
        case .states(let numbers) where numbers.contains(where: allowed.contains): nil
        case .states(let numbers):
            "the content is that after step \(numbers.last ?? 0), but \(allowed.lowerBound) had returned and "
                + "\(allowed.upperBound) had begun"
        }
    }
}

/// The result of a crash test.
public struct CrashTestReport: Sendable {
    /// The number of points at which the run was crashed.
    public internal(set) var crashPoints = 0
    /// The number of crash images built.
    public internal(set) var imagesBuilt = 0
    /// Those that were opened; the others equal one of these in everything that a store can read.
    public internal(set) var imagesOpened = 0
    /// The broken promises, each with the calls before the crash and what the disk kept of them.
    public internal(set) var violations: [CrashViolation] = []
}

/// A folder in memory if possible, removed with this value.
private final class ScratchFolder {
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

import Daybook
import DiskRecording

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

    let open: @Sendable (String) throws -> DaybookStore
    let read: @Sendable (DaybookStore) throws -> Content

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
        let prepared = try open(path(in: folder))
        do {
            defer { prepared.close() }
            try await prepare(prepared)
        }
        let start = try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
        let (run, known) = try await record(steps, in: folder, from: start)
        let image = "\(scratch.path)/image"
        return try await explore(run, in: image) { try state(in: image, among: known) }
    }

    /// Runs steps in a folder. Returns the contents that were seen as well; the digest of a state is its content's index.
    func record(
        _ steps: [Step], in folder: String, from start: DiskImage, isolation: isolated (any Actor)? = #isolation
    ) async throws -> (RecordedRun, known: [Content]) {
        var known: [Content] = []
        let run = try await RecordedRun.record(in: folder, from: start, seed: seed) {
            let store = try open(path(in: folder))
            defer { store.close() }
            func note(_ number: Int) throws {
                DiskLog.note(.acknowledged, Int64(number))
                let content = try read(store)
                if !known.contains(content) { known.append(content) }
                DiskLog.note(.state, Int64(number))
                DiskLog.note(.digest, Int64(known.firstIndex(of: content) ?? 0))
            }
            try note(0)
            for (index, step) in steps.enumerated() {
                DiskLog.note(.issued, Int64(index + 1))
                try await step(store)
                try note(index + 1)
            }
        }
        return (run, known)
    }

    /// Explores a run, or replays the crash that was asked for.
    func explore(
        _ run: RecordedRun, in folder: String, isolation: isolated (any Actor)? = #isolation,
        open: () async throws -> UInt64
    ) async throws -> CrashTestReport {
        let explorer = LocalExplorer(seed: seed, folder: folder)
        if let replaying {
            let parts = replaying.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard let crash = RecordedCrash(parts[...]), crash.lock != nil else {
                throw CrashLabError.invalidReproducer(replaying)
            }
            try await explorer.replay(crash, of: run, open: open)
        } else {
            let limits = ExplorationLimits(subsetLimit: subsetLimit, samples: 4 * subsetLimit, tears: 2 * subsetLimit)
            try await explorer.explore(run, limits: limits, open: open)
        }
        return CrashTestReport(explorer)
    }

    /// Opens an image and returns the digest of the state that it shows.
    func state(in folder: String, among known: [Content]) throws -> UInt64 {
        let store = try open(path(in: folder))
        defer { store.close() }
        let content = try read(store)
        guard let number = known.firstIndex(of: content) else {
            throw BrokenPromise("the content is that of no step: \(content)")
        }
        try invariant(store)
        if let problem = try store.verify().problems.first { throw BrokenPromise("verify reports: \(problem)") }
        return UInt64(number)
    }

    func path(in folder: String) -> String { "\(folder)/\(Recording.storePath)" }
}

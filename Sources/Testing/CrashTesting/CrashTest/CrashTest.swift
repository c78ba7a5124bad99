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
        var contents: [Content] = []
        let prepared = try open(path(in: folder))
        do {
            try await prepare(prepared)
            contents.append(try read(prepared))
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
                contents.append(try read(store))
            }
        } catch {
            store.close()
            throw error
        }
        store.close()
        let entries = try DiskLog.entries().normalized
        DiskLog.end()
        let run = RecordedRun(
            start: start, entries: entries, contents: contents,
            lockFile: FolderFiles.bytes(of: "\(path(in: folder))/\(LockFile.fileName)") ?? [])
        var images = CrashImages<Content>(seed: seed, folder: "\(scratch.path)/image")
        let image = images.folder
        if let replaying {
            try await images.replay(replaying, of: run) { shown(in: image, of: $0) }
        } else {
            try await images.explore(run, limits: limits) { shown(in: image, of: $0) }
        }
        return images.report
    }

    var limits: ExplorationLimits {
        ExplorationLimits(subsetLimit: subsetLimit, samples: 4 * subsetLimit, tears: 2 * subsetLimit)
    }

    func shown(in folder: String, of run: RecordedRun<Content>) -> ShownContent<Content> {
        do {
            let store = try open(path(in: folder))
            defer { store.close() }
            let content = try read(store)
            guard run.contents.contains(content) else { return .content(content) }
            try invariant(store)
            if let problem = try store.verify().problems.first { return .broken("verify reports: \(problem)") }
            return .content(content)
        } catch {
            return .broken("\(error)")
        }
    }

    func path(in folder: String) -> String { "\(folder)/\(RecordedRun<Content>.store)" }
}

import DiskRecording

/// A recorded run whose crashes are explored: what tells its images apart, and what each must show.
protocol ExploredRun: Sendable {
    var recording: Recording { get }
    /// Determines which outcomes are sampled.
    var seed: UInt64 { get }
    /// Whether images get a lock file in one of its possible states.
    var drawsLockFile: Bool { get }
    /// Whether an image shows only what `problem(of:at:)` cannot see once it is opened.
    var opensImages: Bool { get }
    func reproducer(of crash: RecordedCrash) -> String
    /// Returns what determines the result of opening an image. Of equal ones, one is opened.
    func key(of image: DiskImage, at point: CrashPoint) -> UInt64
    /// Returns what tells images apart in the count of different ones; nil if that is their key.
    func digest(of image: DiskImage) -> UInt64?
    /// Returns the broken promise that an image shows without being opened.
    func problem(of image: DiskImage, at point: CrashPoint) -> String?
    /// Returns the broken promise if an image shows a state that is not allowed at this point.
    func problem(ofState state: UInt64, at point: CrashPoint) -> String?
    /// Describes a crash: the log up to it, and what the disk kept.
    func explanation(of crash: RecordedCrash, at point: CrashPoint) -> [String]
}

extension ExploredRun {
    var seed: UInt64 { 0 }
    var drawsLockFile: Bool { true }
    var opensImages: Bool { true }

    func digest(of image: DiskImage) -> UInt64? { nil }
    func problem(of image: DiskImage, at point: CrashPoint) -> String? { nil }
    func problem(ofState state: UInt64, at point: CrashPoint) -> String? { nil }

    func explanation(of crash: RecordedCrash, at point: CrashPoint) -> [String] {
        CrashExplanation.lines(of: recording.entries, at: point, crash.outcome)
    }
}

/// A run whose images are opened in child processes.
protocol PooledRun: ExploredRun {
    /// Opens an image in a child process. May report `state`, the digest of the content.
    ///
    /// - Throws: the broken promise.
    func check(_ trial: ImageTrial, in folder: String, reporter: ChildReporter) throws
}

/// An image that is to be opened, or that awaits the result of an equal one.
struct ImageTrial {
    let run: any ExploredRun
    let crash: RecordedCrash
    let point: CrashPoint
    let key: UInt64
    var image: DiskImage
    /// Whether to undo every operation as well. Once per state is enough.
    var undoesAll = false
    /// Whether to crash the recovery as well.
    var interruptsRecovery = false
}

/// A broken promise.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

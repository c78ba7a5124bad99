import DiskRecording
import Glibc
import LabSupport
import Simulation
import Threading

/// The machine of a simulated world. It records every call on files of the watched folder, in this process and in the
/// second processes it runs, and derives what each kind of crash could leave.
///
/// A process has one recorder, so a second machine that begins to watch at the same time is refused. Files that are
/// already open when the watching begins are not followed: close a store before, and open it after. What a crash leaves
/// is written to folders outside the watched one. Errors are one line that says what to do.
public final class RecordedMachine: SimulatedMachine {
    private let life = ForkSafeMutex<RecordedLife?>(nil)

    /// Creates a machine that watches nothing yet.
    public init() {}

    deinit {
        end()
    }

    /// True.
    public var canFail: Bool { true }

    /// Reads a folder and records it from now on. A folder watched before is released.
    public func begin(watching folder: String) throws {
        end()
        try life.withLock { life in
            let start = try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
            try DiskLog.begin(folder: folder)
            life = RecordedLife(folder: folder, start: start)
        }
    }

    /// The number of calls since the watching began that can have changed the disk, except on lock files. Takes time
    /// proportional to the calls since the last query.
    public var callCount: Int {
        life.withLock { $0?.callCount() ?? 0 }
    }

    /// Writes what the crash leaves. Takes time proportional to the calls since the last query that precede the range,
    /// or to all calls if the range lies before it, plus the time to write the files.
    public func leave(_ crash: Crash, within calls: Range<Int>, choice: UInt64, in folder: String) throws -> String {
        try life.withLock { life in
            guard let watched = life?.folder else { throw CrashLabError.nothingWatched }
            var draws = SeededGenerator(seed: choice)
            let isProcess = crash == .process
            let moment =
                try calls.isEmpty
                ? life?.now() : life?.moment(within: calls, isProcess: isProcess, &draws)
            guard let moment else { throw CrashLabError.nothingWatched }
            let outcome =
                isProcess
                ? .all(of: moment.history.units.count) : CrashOutcomeSampler(history: moment.history).draw(&draws)
            var image = isProcess ? moment.history.pageCacheImage : moment.history.image(outcome)
            putLockFiles(into: &image, from: watched, isProcess: isProcess, &draws)
            try FolderFiles.fill(folder, with: image)
            return isProcess ? moment.words : "\(moment.words), \(outcome.words(of: moment.history.units.count))"
        }
    }

    private func putLockFiles(
        into image: inout DiskImage, from watched: String, isProcess: Bool, _ draws: inout SeededGenerator
    ) {
        for path in image.files.keys.sorted() where DiskImage.name(of: path) == "data.mdb" {
            let store = DiskImage.folder(of: path)
            // After a power failure it may hold anything, see `LockFile`.
            let lock =
                isProcess ? LockFile.stale : LockFile.allCases[draws.number(below: LockFile.allCases.count)]
            let stale = lock == .stale ? LockFile.bytes(of: "\(watched)/\(store)/\(LockFile.fileName)") : nil
            lock.put(into: &image, stale: stale ?? [], store: store)
        }
    }

    // MARK: Faults

    /// Makes a number of page writes fail; each attempt of a transaction meets one. Affects everything below the
    /// folder, including writes of a second process.
    public func setFault(_ fault: Fault?, writes: Int) {
        guard life.withLock({ $0 != nil }) else { return }
        guard let fault else { return DiskLog.clearFault() }
        // LMDB's meta pages are excluded: a failed meta write stops the store instead of refusing a transaction.
        DiskLog.setFault(
            DiskFault(
                kind: .write, first: writes > 0 ? 1 : .max, count: max(1, writes), error: fault.errorNumber,
                only: .others))
    }

    /// The number of calls that the last fault made fail.
    public var faultsHit: Int {
        life.withLock { $0 == nil ? 0 : DiskLog.faultHitCount }
    }

    // MARK: Processes

    /// Runs a closure in a forked process, whose calls are recorded as well. It has only the calling thread: no
    /// concurrency, and none of the stores that are open here, which it may open itself.
    ///
    /// - Throws: an error if the closure ended its process or took longer than a minute.
    public func runElsewhere(_ body: () -> String) throws -> String {
        try SecondProcess.run(body)
    }

    /// Ends the recording.
    public func end() {
        life.withLock { life in
            guard life != nil else { return }
            DiskLog.end()
            life = nil
        }
    }
}

extension Fault {
    fileprivate var errorNumber: Int32 {
        switch self {
        case .fullDisk: ENOSPC
        case .busy: ENOMEM
        }
    }
}

extension CrashOutcome {
    /// Describes what is left of `count` pending changes.
    fileprivate func words(of count: Int) -> String {
        guard count > 0 else { return "everything was flushed" }
        let keptCount = kept.ranges.reduce(0) { $0 + $1.count }
        let torn = tears.isEmpty ? "" : ", tearing \(tears.count)"
        let tail = tail == .lost ? "" : ", with \(tail.rawValue) at the end"
        return "keeping \(keptCount) of \(count) changes\(torn)\(tail)"
    }
}

/// One watched folder: its initial content and the calls since.
struct RecordedLife: Sendable {
    let folder: String
    private let start: DiskImage
    private var counter = CallReader()
    /// The disk after the calls read so far.
    private var history: DiskHistory
    private var reader = CallReader()

    init(folder: String, start: DiskImage) {
        self.folder = folder
        self.start = start
        history = DiskHistory(start)
    }

    /// Returns the number of calls that can change what a disk holds.
    mutating func callCount() -> Int {
        counter.skipAll()
        return counter.count
    }

    /// A point of the recording at which a crash happens.
    struct Moment {
        var history: DiskHistory
        /// For example "after call 5 of 9".
        var words: String
    }

    /// Returns the point after everything recorded.
    mutating func now() throws -> Moment {
        while let call = reader.next() { history.apply(call) }
        return try Moment(history: checked(history), words: "after all calls")
    }

    /// Picks a point at which a crash may happen: after one of the calls, or during one that is durable by itself.
    mutating func moment(within range: Range<Int>, isProcess: Bool, _ draws: inout SeededGenerator) throws -> Moment {
        let count = callCount()
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw CrashLabError.noSuchCalls(range, of: count)
        }
        if reader.count > range.lowerBound { restart() }
        // Calls before the range precede each of its points, so the next query can start here.
        while reader.count < range.lowerBound, let call = reader.next() { history.apply(call) }

        var calls: [DiskCall] = []
        var moments: [(end: Int, moment: CrashMoment)] = []
        var ahead = reader
        while ahead.count < range.upperBound, let call = ahead.next() {
            calls.append(call)
            guard call.changesDisk else { continue }
            // For the death of a process it makes no difference whether a call is in progress.
            let relevant = isProcess ? [.after] : CrashMoment.relevant(of: call)
            moments += relevant.map { (calls.count, $0) }
        }
        let (end, moment) = moments[draws.number(below: moments.count)]
        var crashed = history
        for call in calls[..<(end - 1)] { crashed.apply(call) }
        if moment == .during { crashed.begin(calls[end - 1]) } else { crashed.apply(calls[end - 1]) }
        let number = calls[..<end].count { $0.changesDisk }
        return try Moment(
            history: checked(crashed),
            words: "\(moment == .during ? "during" : "after") call \(number) of \(range.count)")
    }

    private mutating func restart() {
        history = DiskHistory(start)
        reader = CallReader()
    }

    private func checked(_ history: DiskHistory) throws -> DiskHistory {
        guard !DiskLog.hasOverflowed else { throw CrashLabError.logOverflowed }
        if let call = history.strayCalls.first { throw CrashLabError.strayCall("\(call.kind) on \(call.path)") }
        return history
    }
}

/// Reads the recording forward and counts the calls that can change what a disk holds.
struct CallReader: Sendable {
    /// The number of such calls read.
    private(set) var count = 0
    private var cursor: UInt64 = 0
    private var normalizer = CallNormalizer()

    /// Returns the next call on a file other than a lock file; nil if there is none yet.
    ///
    /// - Parameter withBytes: whether to copy the written bytes.
    mutating func next(withBytes: Bool = true) -> DiskCall? {
        while let entry = DiskLog.next(after: &cursor, withBytes: withBytes) {
            guard case .call(let call) = entry, let normalized = normalizer.normalized(call) else { continue }
            if normalized.changesDisk { count += 1 }
            return normalized
        }
        return nil
    }

    /// Reads to the current end, without written bytes.
    mutating func skipAll() {
        while next(withBytes: false) != nil {}
    }
}

import Glibc
import Simulation
import Threading

/// The machine below a simulated world: it records every call on files of the watched folder, in this process and in the
/// second ones that it runs, and knows from that what each kind of crash could leave.
///
/// There is one recorder in a process, so a second machine that begins to watch meanwhile is refused. Files that are open
/// when the watching begins are not followed: close a store before, and open it after. What a crash leaves goes into
/// folders outside the watched one. Errors are the crash lab's, in one line that says what to do.
public final class RecordedMachine: SimulatedMachine {
    private let life = ForkSafeMutex<RecordedLife?>(nil)

    /// A machine that watches nothing yet.
    public init() {}

    deinit {
        end()
    }

    /// True.
    public var canFail: Bool { true }

    /// Reads what is in the folder, and records from now on. A folder that was watched before is let go.
    public func begin(watching folder: String) throws {
        end()
        try life.withLock { life in
            let start = try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
            try DiskLog.begin(folder: folder)
            life = RecordedLife(folder: folder, start: start)
        }
    }

    /// How many calls can have changed what the disk holds since the watching began; lock files do not count, nor does what
    /// only reads. Cost: a step for each call since the last question.
    public var callCount: Int {
        life.withLock { $0?.callCount() ?? 0 }
    }

    /// Writes what the crash leaves. Cost: a step for each call since the last question that are before the range, more
    /// for one that goes back behind it, and what writing the files costs.
    public func leave(_ crash: Crash, within calls: Range<Int>, choice: UInt64, in folder: String) throws -> String {
        try life.withLock { life in
            guard let watched = life?.folder else { throw CrashLabError.nothingWatched }
            var draws = SeededBits(seed: choice)
            let isProcess = crash == .process
            let moment =
                try calls.isEmpty
                ? life?.now() : life?.moment(within: calls, isProcess: isProcess, &draws)
            guard let moment else { throw CrashLabError.nothingWatched }
            let recipe =
                isProcess ? .all(of: moment.history.units.count) : RecipeDraw(history: moment.history).draw(&draws)
            var image = isProcess ? moment.history.pageCacheImage : moment.history.image(recipe)
            putLockFiles(into: &image, from: watched, isProcess: isProcess, &draws)
            try FolderFiles.fill(folder, with: image)
            return isProcess ? moment.words : "\(moment.words), \(recipe.words(of: moment.history.units.count))"
        }
    }

    private func putLockFiles(
        into image: inout DiskImage, from watched: String, isProcess: Bool, _ draws: inout SeededBits
    ) {
        for path in image.files.keys.sorted() where DiskImage.name(of: path) == "data.mdb" {
            let store = DiskImage.folder(of: path)
            // After a power failure it may be anything at all, see `LockFile`.
            let lock =
                isProcess ? LockFile.stale : LockFile.allCases[draws.number(below: LockFile.allCases.count)]
            let stale = lock == .stale ? LockFile.bytes(of: "\(watched)/\(store)/\(LockFile.fileName)") : nil
            lock.put(into: &image, stale: stale ?? [], store: store)
        }
    }

    // MARK: Faults

    /// Lets so many writes of pages fail: each try of a transaction meets one. Everything below the folder meets them, also
    /// what a second process writes.
    public func setFault(_ fault: Fault?, writes: Int) {
        guard life.withLock({ $0 != nil }) else { return }
        guard let fault else { return DiskLog.clearFault() }
        // LMDB's meta pages are spared: a write of theirs that fails stops the store instead of refusing a transaction.
        DiskLog.setFault(
            DiskFault(
                kind: .write, first: writes > 0 ? 1 : .max, count: max(1, writes), error: fault.errorNumber,
                only: .others))
    }

    /// How many calls the last fault that was set has made fail.
    public var faultsHit: Int {
        life.withLock { $0 == nil ? 0 : DiskLog.faultHit }
    }

    // MARK: Processes

    /// Runs a closure in a fork of this process, whose calls are recorded as well. There it has the calling thread only: no
    /// concurrency, and none of the stores that are open here, which it may open again for itself.
    ///
    /// - Throws: when the closure ended its process, or took longer than a minute.
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

extension ImageRecipe {
    /// What of so many changes that no flush had made durable is left.
    fileprivate func words(of count: Int) -> String {
        guard count > 0 else { return "everything was flushed" }
        let keptCount = kept.ranges.reduce(0) { $0 + $1.count }
        let torn = tears.isEmpty ? "" : ", tearing \(tears.count)"
        let tail = tail == .lost ? "" : ", with \(tail.rawValue) at the end"
        return "keeping \(keptCount) of \(count) changes\(torn)\(tail)"
    }
}

import CLMDB
import Injection
import Processes
import Synchronization

/// How this process takes part in the store's commit log (decision 0050).
///
/// Everything here happens under LMDB's lock for writers, inside a write transaction that LMDB has not committed yet, `close`
/// excepted.
final class CommitLog {
    let file: CommitFile
    let use: CommitLogUse
    let path: String
    let token: UInt64
    let injectionPoint: ArmedInjectionPoints
    /// What this process has of logged mode while it is the owner.
    var ownership: Ownership? {
        didSet { isOwnerNow.store(ownership != nil && !stopsWriting, ordering: .relaxed) }
    }
    private let isOwnerNow = Atomic(false)
    private let nextIsDirect = Atomic(false)
    private let appended = Atomic(0)
    /// How many pages of records were appended since the system was asked to write the data file.
    private let unwritten = Atomic(0)
    /// The read transactions that keep LMDB from reusing the pages of a checkpoint: one, and more only after a slot could not be
    /// flushed, since either slot may be on the disk then.
    var pins: [CheckpointPin] = []
    /// Whether a flush of the data file or of a slot has failed, so that this process must not write any more.
    var stopsWriting = false {
        didSet { isOwnerNow.store(ownership != nil && !stopsWriting, ordering: .relaxed) }
    }
    /// Transactions that this process has begun in a row, nobody else in between.
    var commitsInRow = 0
    /// The last transaction before the latest one of this process, and when that began.
    private var latest: (newest: UInt64, time: Int64) = (0, 0)
    /// How many commits in a row it takes to enter: more after each time that it was not worth it.
    private var commitsToEnter = CommitLog.fewestToEnter

    private static let (fewestToEnter, mostToEnter) = (4, 1 << 20)

    struct Ownership {
        let seed: UInt64
        let checkpoint: UInt64
        let logLength: Int
        /// How many pages the data file had at the checkpoint.
        let pageCount: Int
        /// The checksum of the last record.
        var chain: UInt64
        /// Where the next record goes.
        var offset = 0
        var lastTransaction: UInt64
    }

    /// A write transaction that has begun, and what it works on.
    @safe struct Place {
        let environment: OpaquePointer
        let pageSize: Int
        /// The last committed transaction: N.
        let newest: UInt64
        let pageCount: Int
    }

    /// Nil when the store has no file for a commit log: then it commits directly.
    init?(
        inStore path: String, use: CommitLogUse, isReadOnly: Bool, injectionPoint: ArmedInjectionPoints
    ) throws(KeyValueError) {
        guard let file = try CommitFile(inStore: path, isReadOnly: isReadOnly, injectionPoint: injectionPoint) else {
            return nil
        }
        self.file = file
        self.path = path
        self.use = use
        self.injectionPoint = injectionPoint
        token = Self.mixed([use.draw(), UInt64(CurrentProcess.identifier)])
    }

    /// Whether this process last committed through the log; another one may have ended that since. Any thread may ask.
    var isOwner: Bool { isOwnerNow.load(ordering: .relaxed) }

    /// Whether the slots say the same now. Takes no lock.
    var isStillOwner: Bool {
        // Another object reads: cached slots are valid only under the lock.
        guard let file = try? CommitFile(inStore: path, isReadOnly: true), let current = try? file.slots().current
        else {
            return true
        }
        return current.mode != .direct && current.owner == token
    }

    /// How many records this process has appended. Any thread may ask.
    var commitCount: Int { appended.load(ordering: .relaxed) }

    /// Whether somebody has to leave when nothing is written any more.
    var leavesWhenIdle: Bool { use.entering == .whenBusy && isOwner }

    /// Whether the system is to be asked now to begin to write the data file, so that the next checkpoint has less to wait for. Any
    /// thread may ask; the answer is yes once.
    func takesWriteback() -> Bool {
        unwritten.load(ordering: .relaxed) >= use.writebackPages && unwritten.exchange(0, ordering: .relaxed) > 0
    }

    /// After so many milliseconds without work the writer thread leaves logged mode.
    var idleMilliseconds: Int { use.idleMilliseconds }

    // MARK: The beginning of a write

    /// Looks at the store's mode at the beginning of every write transaction, and changes it where it has to be.
    ///
    /// - Returns: whether the transaction is to be a record of the log.
    /// - Throws: `writingStopped`; `commitFailed` when a flush has failed.
    func begin(_ kind: WriteKind, at place: Place) throws(KeyValueError) -> Bool {
        if stopsWriting { throw .writingStopped }
        let current = try settled()
        if let ownership, current.mode != .logged || current.owner != token || current.seed != ownership.seed {
            // Another process has turned the store.
            unsafe drop(in: place.environment)
            backOff()
        }
        switch current.mode {
        case .stopped:
            throw .writingStopped
        case .logged:
            guard let ownership, ownership.lastTransaction == place.newest || injectionPoint(.ignoresLostRecords),
                kind == .record
            else {
                if ownership == nil, kind == .leaving || injectionPoint(.asksOwnerOnly) { return false }
                try leave(current, at: place)
                return false
            }
            if needsCheckpoint(ownership, at: place) {
                // It was worth it.
                commitsToEnter = max(commitsToEnter / 2, Self.fewestToEnter)
                return try checkpoint(current, at: place)
            }
            return true
        case .direct:
            guard kind == .record, enters(after: place.newest) else { return false }
            return try checkpoint(current, at: place)
        }
    }

    /// Lets more commits in a row pass before this process enters again.
    func backOff() {
        commitsInRow = 0
        commitsToEnter = min(commitsToEnter * 2, Self.mostToEnter)
    }

    /// Whether this process has left logged mode because a transaction failed, and the next one will be direct. Any thread may ask.
    var takesDirect: Bool { nextIsDirect.load(ordering: .relaxed) }

    /// Notes that this process has left logged mode because a transaction failed: its next one does not enter again.
    func hasLeft() { nextIsDirect.store(true, ordering: .relaxed) }

    static func mixed(_ numbers: [UInt64]) -> UInt64 {
        numbers.reduce(0) { hash, number in
            var bytes: [UInt8] = []
            bytes.append(littleEndian: number)
            return bytes.hash(seed: hash)
        }
    }

    private func enters(after newest: UInt64) -> Bool {
        #if !os(Linux)
            // Elsewhere a flush need not reach the disk, and LMDB 0.9 does not ask for more.
            return false
        #endif
        if nextIsDirect.exchange(false, ordering: .relaxed) { return false }
        switch use.entering {
        case .never:
            return false
        case .always:
            return true
        case .whenBusy:
            let now = use.now()
            let isInRow = newest == latest.newest + 1 && now - latest.time < Int64(use.idleMilliseconds) * 1_000
            commitsInRow = isInRow ? commitsInRow + 1 : 0
            latest = (newest, now)
            return commitsInRow >= commitsToEnter
        }
    }

    private func needsCheckpoint(_ ownership: Ownership, at place: Place) -> Bool {
        ownership.offset >= use.checkpointPages(inFileOf: ownership.pageCount) * CommitFile.recordSpacing
            || ownership.offset + CommitFile.recordSpacing > ownership.logLength
            || (place.pageCount - ownership.pageCount) * place.pageSize >= use.growthLimit
    }

    /// The current slot. One whose flush is not known to have returned is written again, since it may be in the page cache only.
    func settled() throws(KeyValueError) -> CommitSlot {
        let slots = try file.slots()
        var current = try slots.checkedCurrent(ofStore: path)
        guard !slots.isConfirmed, current.mode != .stopped, !injectionPoint(.trustsUnconfirmedSlots) else {
            return current
        }
        if !injectionPoint(.rewritesSlotsInPlace) { current.number += 1 }
        try put(current)
        return current
    }

    // MARK: The end of a write

    /// Makes a transaction durable: appends its record and flushes the log. What LMDB does then needs no flush.
    ///
    /// - Returns: false when LMDB has to commit directly, since the record is too large for the log.
    /// - Throws: what has refused the record, which is in no log then. `commitUnknown` when logged mode could not be left after a part
    ///   of it was written: then the outcome is unknown.
    func append(_ record: CommitRecord.Builder, at place: Place) throws(KeyValueError) -> Bool {
        let space = CommitFile.space(for: record.byteCount)
        guard var owned = ownership else { return false }
        if !record.holdsAll || space > owned.logLength {
            try leave(try settled(), at: place)
            backOff()
            return false
        }
        if owned.offset + space > owned.logLength {
            guard try checkpoint(try settled(), at: place), let renewed = ownership else { return false }
            owned = renewed
        }
        let (bytes, checksum) = record.record(of: place.newest + 1, after: owned.chain, seed: owned.seed)
        do throws(KeyValueError) {
            try file.append(bytes, at: owned.offset)
        } catch {
            guard (try? leave(settled(), at: place)) != nil else { throw .commitUnknown(code: error.systemCode) }
            throw error
        }
        owned.chain = checksum
        owned.offset += space
        owned.lastTransaction = place.newest + 1
        ownership = owned
        appended.add(1, ordering: .relaxed)
        unwritten.add(space / CommitFile.recordSpacing, ordering: .relaxed)
        return true
    }

    /// Gives up the pins, before LMDB closes. Leaving before that is optional: a store that is closed in logged mode is recovered
    /// as one whose process was killed.
    func close() {
        ownership = nil
        endPins()
    }
}

/// A fault injection point: a place where a promise is kept, and where tests can break it on purpose.
///
/// A crash lab or a simulator that never fails proves nothing. So each promise can be broken at the one place where it
/// is kept, and the lab must detect it (a negative control). Only this package can arm a point.
package enum InjectionPoint: String, CaseIterable, Sendable {
    // MARK: Durability of a store

    /// A write returns before anything of it is flushed; the flush comes before the next write, or at close.
    case acknowledgesBeforeFlush
    /// Nothing is ever flushed.
    case neverFlushes
    /// Pages are flushed, but the meta page that makes them count is not, until the next commit's flush.
    case neverFlushesMeta
    /// The names of a new store's files, and the entry of its folder, are not flushed, neither by its creator nor by those that open
    /// it.
    case skipsParentFlush
    /// Index entries are written in a second transaction, after the records.
    case indexOutsideTransaction
    /// Roll-ups are counted in a second transaction, after the records.
    case rollUpInSecondTransaction
    /// Tallies are counted in a second transaction, after the records.
    case tallyInSecondTransaction
    /// Entries of indexes with several keys, such as that of words, are written in a second transaction.
    case searchIndexOutsideTransaction
    /// Records that name a deleted one stay as they are.
    case skipsCascades
    /// Changes of untracked collections are in the change log all the same.
    case tracksUntracked
    /// Values are not compared with their checksums.
    case ignoresChecksums
    /// The change log keeps only its last row, whatever undo still needs.
    case trimsLogTooEarly

    // MARK: Operations on tasks that are one transaction

    /// A list is deleted in a second transaction, after its tasks.
    case listAfterItsTasks
    /// The next occurrence of a recurring task is created in a second transaction, after its completion.
    case occurrenceOutsideTransaction
    /// A rollover carries each task in a transaction by itself.
    case rollsOverOneByOne
    /// The tasks that have expired are archived in a transaction each.
    case archivesOneByOne

    // MARK: Steps of sync that are one transaction

    /// Changes are stamped in a second transaction, after the records.
    case stampsInSecondTransaction
    /// What is sent counts as acknowledged.
    case settlesWhenSent

    // MARK: Consumers of changes

    /// The change log is trimmed although a registered consumer has not read it.
    case ignoresConsumers

    // MARK: Sessions

    /// A session does not show a write any more as soon as the store begins it.
    case hidesPendingWrites
    /// A session shows a write that has failed as before.
    case keepsFailedWrites

    // MARK: Salvage

    /// A former copy of a lost record is taken for its last version, whatever indexes and the change log say.
    case salvagesAnyVersion
    /// Entries of a damaged file are taken whatever their checksums say.
    case salvagesUnchecked

    // MARK: Compaction

    /// The name of the new file is not flushed before the next write goes into it.
    case skipsCompactionFlush
    /// What others have written while a compaction copied is not brought over.
    case skipsCatchUp

    // MARK: The commit log

    /// A record is not flushed.
    case skipsLogFlush
    /// No read transaction keeps the pages of the checkpoint.
    case logsWithoutPin
    /// The mode changes before the data file is flushed.
    case turnsWithoutFlush
    /// A slot whose flush is not known to have returned is trusted.
    case trustsUnconfirmedSlots
    /// Slots alternate between two places, and one that is written again stays in its place.
    case rewritesSlotsInPlace
    /// The owner does not compare LMDB's last transaction with its last record.
    case ignoresLostRecords
    /// A store in logged mode is opened as it is.
    case opensWithoutRecovery
    /// Recovery applies the log to the data file as it is.
    case keepsLaterMetaPages
    /// A process that has not entered logged mode does not care that another one has.
    case asksOwnerOnly
    /// A record is applied whatever precedes it: also one from before the last turn.
    case believesEveryRecord
    /// The name of a new file for the log is not flushed before somebody relies on it.
    case linksLogUnflushed

    // MARK: Cost of a write

    /// Each commit is flushed once more than it needs.
    case flushesTwice
    /// The first entry that a closure writes is written once more.
    case putsTwice

    // MARK: Opening beside other processes

    /// The store is opened without Daybook's own locks, beside others that are opening it, as LMDB's tools open it.
    case opensWithoutGate
    /// The transaction that LMDB hands out is not compared with the newest meta page.
    case ignoresStaleLock
    /// Both: the store is opened as versions before the gate opened it.
    case opensUnprotected
    /// A store is opened although a process of another PID namespace has it open.
    case ignoresNamespaces
    /// Who begins to write does not look whether others wait.
    case skipsWriterQueue

    // MARK: Reading without the lock file

    /// A reader without the lock file does not notice that the pages of its state were reused.
    case ignoresLostSnapshots

    // MARK: Files that are written atomically

    /// The file gets its name before its bytes are on the disk.
    case skipsFileFlush
    /// The file's name in its folder is not flushed.
    case skipsFolderFlush
    /// There is no temporary file: the target itself is written.
    case writesInPlace

    // MARK: Rules of time

    /// Today is computed with days of 86,400 seconds, from the offset at the opening.
    case countsDaysOf86400Seconds
    /// The zone of the opening is kept, wherever the person travels.
    case keepsZoneOfOpening
    /// Windows for undo are measured by the wall clock.
    case measuresUndoByWallClock
    /// Live views do not report tasks that change their place.
    case missesMoves
    /// A completion that is undone stays counted.
    case neverReversesCounts

    // MARK: Rules of tasks

    /// A bucket takes more open tasks than it may have.
    case overfillsBuckets
    /// A rollover carries the tasks of yesterday, and none of earlier days.
    case rollsOverOnlyYesterday
    /// The next occurrence of a task has an id of no meaning.
    case drawsOccurrenceIDs
    /// A list is deleted, and its tasks are not.
    case keepsTasksOfLists
    /// That a reminder was delivered is not noted.
    case forgetsDeliveries

    // MARK: Rules of sync

    /// A change stamps every part of its record, so that the later of two changes wins over all of the other.
    case stampsWholeRecords
    /// Of two changes at the same time each device keeps its own.
    case keepsOwnInTies
    /// An acknowledged push settles the record, whatever was changed since it was sent.
    case settlesBlindly
    /// A change is refused while the wall clock is behind a stamp that was seen.
    case refusesClocksThatAreBehind
    /// What was deleted is forgotten as soon as the hub has it.
    case forgetsDeletions
    /// Reopening a task does not begin a new epoch.
    case reopensInTheSameEpoch
    /// How far a device has read is stored before what it has read.
    case storesCursorFirst
    /// The hub draws the numbers of units before it locks their space, so that they are not in the order of commits.
    case numbersUnitsOutsideLock

    /// The points that always lose or falsify something in a store: for the crash lab's images.
    package static let harmful: [Self] = [
        .acknowledgesBeforeFlush, .neverFlushes, .neverFlushesMeta, .skipsParentFlush, .indexOutsideTransaction,
        .rollUpInSecondTransaction, .ignoresChecksums, .trimsLogTooEarly,
    ]
    /// The points that only cost time: for the gate of the benchmarks.
    package static let ofCost: [Self] = [.flushesTwice, .putsTwice]
    /// The points that show only where processes die beside others.
    package static let ofProcesses: [Self] = [.opensWithoutGate, .ignoresStaleLock, .opensUnprotected]
    /// The points that show only to readers that cannot use the lock file.
    package static let ofReaders: [Self] = [.ignoresLostSnapshots]
    /// The points that show only where processes of several PID namespaces share a store.
    package static let ofNamespaces: [Self] = [.ignoresNamespaces]
    /// The points that show only to processes that wait for each other.
    package static let ofWaiting: [Self] = [.skipsWriterQueue]
    /// The points that show only to registered consumers of changes.
    package static let ofConsumers: [Self] = [.ignoresConsumers]
    /// The points that break a promise about tallies, references, indexes with several keys or untracked collections.
    package static let ofDeclarations: [Self] = [
        .tallyInSecondTransaction, .searchIndexOutsideTransaction, .skipsCascades, .tracksUntracked,
    ]
    /// The points that split an operation on tasks into several transactions.
    package static let ofSplitOperations: [Self] = [
        .listAfterItsTasks, .occurrenceOutsideTransaction, .rollsOverOneByOne, .archivesOneByOne,
    ]
    /// The points that split a step of sync, or take one too early: a crash between them loses something.
    package static let ofSyncSteps: [Self] = [.stampsInSecondTransaction, .settlesWhenSent]
    /// The points that show only when a damaged store is salvaged.
    package static let ofSalvage: [Self] = [.salvagesAnyVersion, .salvagesUnchecked]
    /// The points that show only after a compaction.
    package static let ofCompaction: [Self] = [.skipsCompactionFlush]
    /// The points that show only where others write during a compaction.
    package static let ofCompactionBesideWriters: [Self] = [.skipsCatchUp]
    /// The points that show only in sessions.
    package static let ofSessions: [Self] = [.hidesPendingWrites, .keepsFailedWrites]
    /// The points that show only in logged mode.
    package static let ofCommitLog: [Self] = [
        .skipsLogFlush, .logsWithoutPin, .turnsWithoutFlush, .trustsUnconfirmedSlots, .rewritesSlotsInPlace,
        .ignoresLostRecords, .opensWithoutRecovery, .keepsLaterMetaPages, .asksOwnerOnly, .believesEveryRecord,
        .linksLogUnflushed,
    ]
    /// The points of a store, of all kinds.
    package static let ofStore =
        harmful + ofCommitLog + ofCost + ofProcesses + ofConsumers + ofDeclarations + ofSplitOperations + ofSyncSteps
        + ofCompaction + ofNamespaces
        + ofSalvage
    /// The points of files that are written atomically.
    package static let ofFiles: [Self] = [.skipsFileFlush, .skipsFolderFlush, .writesInPlace]
    /// The points that break a rule of time: for the simulator.
    package static let ofTime: [Self] = [
        .countsDaysOf86400Seconds, .keepsZoneOfOpening, .measuresUndoByWallClock, .missesMoves, .neverReversesCounts,
    ]
    /// The points that break a rule of lists, reminders, the planner or recurrence: for scenarios.
    package static let ofRules: [Self] = [
        .overfillsBuckets, .rollsOverOnlyYesterday, .drawsOccurrenceIDs, .keepsTasksOfLists, .forgetsDeliveries,
    ]

    /// The points that break a rule of sync: for devices that are simulated.
    package static let ofSync: [Self] = [
        .stampsWholeRecords, .keepsOwnInTies, .settlesBlindly, .refusesClocksThatAreBehind, .forgetsDeletions,
        .reopensInTheSameEpoch, .storesCursorFirst, .numbersUnitsOutsideLock,
    ]

    /// The points that random simulations and scenarios can show.
    package static let ofSimulations = ofTime + ofDeclarations + ofSplitOperations + ofRules

    /// Returns the point of a name among some; nil if none has it.
    package init?(named name: some StringProtocol, among points: [Self]) {
        guard let point = Self(rawValue: String(name)), points.contains(point) else { return nil }
        self = point
    }
}

/// The fault injection points that are armed for one store or one file: none, outside of tests and labs.
///
/// Keep it in a property called `injectionPoint`, so that the place reads `if injectionPoint(.flushesTwice)`. A point
/// that is not armed costs one comparison.
package struct ArmedInjectionPoints: Sendable, Hashable {
    @usableFromInline let points: [InjectionPoint]

    /// Arms some points; none without arguments.
    package init(_ points: InjectionPoint?...) {
        self.points = points.compactMap { $0 }
    }

    /// Whether a point is armed.
    @inlinable
    package func callAsFunction(_ point: InjectionPoint) -> Bool {
        !points.isEmpty && points.contains(point)
    }
}

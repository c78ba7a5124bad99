import ByteStreams
import Injection
import KeyValue
import Records
import Simulation
import Sync

extension InjectionPoint {
    /// The points that always lose or falsify something in a store: for the crash lab's images.
    package static let harmful: [Self] = [
        .acknowledgesBeforeFlush, .neverFlushes, .neverFlushesMeta, .skipsParentFlush, .indexOutsideTransaction,
        .rollUpInSecondTransaction, .ignoresChecksums, .trimsLogTooEarly,
    ]
    /// The points that only cost time: for the gate of the benchmarks.
    package static let ofCost: [Self] = [.flushesTwice, .putsTwice]
    /// The points that show only where processes die beside others.
    package static let ofProcesses: [Self] = [.opensWithoutGate, .ignoresStaleLock, .opensUnprotected]
    /// The points that show only where processes of several PID namespaces share a store.
    package static let ofNamespaces: [Self] = [.ignoresNamespaces]
    /// The points that show only to registered consumers of changes.
    package static let ofConsumers: [Self] = [.ignoresConsumers]
    /// The points that split a step of sync, or take one too early: a crash between them loses something.
    package static let ofSyncSteps: [Self] = [.stampsInSecondTransaction, .settlesWhenSent]
    /// The points that show only when a damaged store is salvaged.
    package static let ofSalvage: [Self] = [.salvagesAnyVersion, .salvagesUnchecked]
    /// The points that show only after a compaction.
    package static let ofCompaction: [Self] = [.skipsCompactionFlush]
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
}

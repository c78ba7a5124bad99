import Injection

extension InjectionPoint {
    package static var acknowledgesBeforeFlush: Self { Self() }
    /// Nothing is ever flushed.
    package static var neverFlushes: Self { Self() }
    /// Pages are flushed, but the meta page that makes them count is not, until the next commit's flush.
    package static var neverFlushesMeta: Self { Self() }
    /// The names of a new store's files, and the entry of its folder, are not flushed, neither by its creator nor by those that open
    /// it.
    package static var skipsParentFlush: Self { Self() }

    // MARK: Compaction

    /// The name of the new file is not flushed before the next write goes into it.
    package static var skipsCompactionFlush: Self { Self() }
    /// What others have written while a compaction copied is not brought over.
    package static var skipsCatchUp: Self { Self() }

    // MARK: The commit log

    /// A record is not flushed.
    package static var skipsLogFlush: Self { Self() }
    /// No read transaction keeps the pages of the checkpoint.
    package static var logsWithoutPin: Self { Self() }
    /// The mode changes before the data file is flushed.
    package static var turnsWithoutFlush: Self { Self() }
    /// A slot whose flush is not known to have returned is trusted.
    package static var trustsUnconfirmedSlots: Self { Self() }
    /// Slots alternate between two places, and one that is written again stays in its place.
    package static var rewritesSlotsInPlace: Self { Self() }
    /// The owner does not compare LMDB's last transaction with its last record.
    package static var ignoresLostRecords: Self { Self() }
    /// A store in logged mode is opened as it is.
    package static var opensWithoutRecovery: Self { Self() }
    /// Recovery applies the log to the data file as it is.
    package static var keepsLaterMetaPages: Self { Self() }
    /// A process that has not entered logged mode does not care that another one has.
    package static var asksOwnerOnly: Self { Self() }
    /// A record is applied whatever precedes it: also one from before the last turn.
    package static var believesEveryRecord: Self { Self() }
    /// The name of a new file for the log is not flushed before somebody relies on it.
    package static var linksLogUnflushed: Self { Self() }

    // MARK: Cost of a write

    /// Each commit is flushed once more than it needs.
    package static var flushesTwice: Self { Self() }
    /// The first entry that a closure writes is written once more.
    package static var putsTwice: Self { Self() }

    // MARK: Opening beside other processes

    /// The store is opened without Daybook's own locks, beside others that are opening it, as LMDB's tools open it.
    package static var opensWithoutGate: Self { Self() }
    /// The transaction that LMDB hands out is not compared with the newest meta page.
    package static var ignoresStaleLock: Self { Self() }
    /// Both: the store is opened as versions before the gate opened it.
    package static var opensUnprotected: Self { Self() }
    /// A store is opened although a process of another PID namespace has it open.
    package static var ignoresNamespaces: Self { Self() }
    /// Who begins to write does not look whether others wait.
    package static var skipsWriterQueue: Self { Self() }

    // MARK: Reading without the lock file

    /// A reader without the lock file does not notice that the pages of its state were reused.
    package static var ignoresLostSnapshots: Self { Self() }
}

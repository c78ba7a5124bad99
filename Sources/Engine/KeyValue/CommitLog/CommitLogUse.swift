/// When a process commits through the commit log instead of directly (Documentation/Decisions/0050-the-commit-log.md).
package struct CommitLogUse: Sendable {
    /// Who enters logged mode.
    package enum Entering: Sendable, Equatable {
        /// Nobody here: every commit is a direct one. Logged mode of other processes is recovered and left all the same.
        case never
        /// A process that has committed several times in a row.
        case whenBusy
        /// Every write: for labs and tests.
        case always
    }

    package var entering: Entering
    /// Whether a store without a file for the log gets one: not in labs of stores as programs of format 1 write them.
    package var makesFile = true
    /// A checkpoint follows after so many pages of records: the first number in small files, the second one in large files. A single
    /// commit has a record of one page, and no page that it replaces is used again before the checkpoint.
    package var checkpointPages = 48...256
    /// How many bytes the log has; a multiple of 4,096. A longer record is committed directly.
    package var logLength = 1 << 20
    /// A checkpoint follows when the data file has grown by so many bytes.
    package var growthLimit = 8 << 20
    /// After so many pages of records the system is asked to begin to write the data file.
    package var writebackPages = 1
    /// Commits count as some in a row while less than so many milliseconds pass from one to the next; then the writer thread leaves
    /// logged mode.
    package var idleMilliseconds = 1_000
    /// The monotonic time in microseconds: that of the store's context.
    package var now: @Sendable () -> Int64 = { 0 }
    /// A random number: of a branch of the context's source, since the mode must not change what a seeded program writes. Tokens and seeds also have the number of the process and of their slot.
    package var draw: @Sendable () -> UInt64 = { 0 }

    package init(entering: Entering) {
        self.entering = entering
    }

    /// What stores use by default: `Scripts/test --logged` builds with logs that every write enters, so that
    /// every test of the project is one of them.
    package static var standard: CommitLogUse {
        #if COMMITS_THROUGH_LOG
            .always()
        #else
            CommitLogUse(entering: .whenBusy)
        #endif
    }

    /// Every commit is a direct one, beside the file for the log.
    package static let never = CommitLogUse(entering: .never)

    /// What programs of format 1 did: every commit is a direct one, and no file for a log is made.
    package static var absent: CommitLogUse {
        var use = never
        use.makesFile = false
        return use
    }

    /// Every write enters, with short logs: for labs.
    package static func always(checkpointPages: Int = 4, logLength: Int = 16 * 4096) -> CommitLogUse {
        var use = CommitLogUse(entering: .always)
        use.checkpointPages = checkpointPages...checkpointPages
        use.logLength = logLength
        return use
    }

    /// How many pages of records there are between two checkpoints of a data file of so many pages.
    ///
    /// The file of a store in use has its entries and twice what is written between two checkpoints: the pages that the last one has
    /// freed, and those that the next one will. With a record's page come some twenty pages of the data file, so this is about a
    /// third of a large file; the least is what keeps the waits for checkpoints rare.
    func checkpointPages(inFileOf pageCount: Int) -> Int {
        min(max(pageCount / 128, checkpointPages.lowerBound), checkpointPages.upperBound)
    }
}

/// When a process commits through the commit log instead of directly (Documentation/Decisions/0050-the-commit-log.md).
package struct CommitLogUse: Sendable {
    /// Who enters logged mode.
    package enum Entering: Sendable, Equatable {
        /// Nobody here. Logged stores of other processes are recovered and left all the same.
        case never
        /// A process that has committed several times in a row, in a short time.
        case whenBusy
        /// Every write: for labs and tests.
        case always
    }

    package var entering: Entering
    /// A checkpoint follows after so many commits.
    package var commitLimit = 256
    /// How many bytes of records the log takes before a checkpoint; a multiple of 4,096.
    package var logLength = 1 << 20
    /// How many bytes the data file grows before a checkpoint: no page is reused between two of them.
    package var growthLimit = 8 << 20
    /// After so many milliseconds without a commit the writer thread leaves logged mode.
    package var idleMilliseconds = 1_000
    /// Commits count as some in a row while the time from one to the next is less than so many microseconds.
    package var rowMicroseconds: Int64 = 100_000
    /// The monotonic time in microseconds: that of the store's context.
    package var now: @Sendable () -> Int64 = { 0 }
    /// A random number: of a branch of the context's source, since the mode must not change what a seeded program writes. Tokens and seeds also have the number of the process and of their slot.
    package var draw: @Sendable () -> UInt64 = { 0 }

    package init(entering: Entering) {
        self.entering = entering
    }

    /// What stores use unless they are told otherwise: `Scripts/test --logged` builds with the log, so that every test of the project
    /// is one of it.
    package static var standard: CommitLogUse {
        #if COMMITS_THROUGH_LOG
            .always()
        #else
            .never
        #endif
    }

    /// Nothing is written to a log, and no file for it is made.
    package static let never = CommitLogUse(entering: .never)
    /// Every write enters, with short logs: for labs.
    package static func always(commitLimit: Int = 4, logLength: Int = 16 * 4096) -> CommitLogUse {
        var use = CommitLogUse(entering: .always)
        use.commitLimit = commitLimit
        use.logLength = logLength
        return use
    }
}

/// How the program ends. Scripts rely on these numbers.
enum ProgramExit: Int32 {
    /// What was asked for is done.
    case done = 0
    /// The check that was asked for failed.
    case checkFailed = 1
    /// The command line is wrong.
    case usage = 2
    /// The store or a file could not be used.
    case unusable = 3
    /// There is no such task.
    case notFound = 4
    /// The operation is not allowed.
    case refused = 5
    /// The check that was asked for could not measure well enough to tell.
    case inconclusive = 6
    /// Interrupted by a signal, as shells say it of SIGINT.
    case interrupted = 130
    /// Nobody reads the output any more, as shells say it of SIGPIPE.
    case brokenPipe = 141
}

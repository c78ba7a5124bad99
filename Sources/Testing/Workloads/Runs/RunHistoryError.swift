/// Why a history of runs could not be read or written. One line: what happened, and what to do.
public enum RunHistoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A line, other than one that was cut off at the end, is no run.
    case malformed(path: String, line: Int)
    /// A line was written by a newer program.
    case newer(path: String, line: Int, version: Int)
    /// The system refused, with its error code.
    case system(path: String, code: Int32)

    /// One line for people.
    public var description: String {
        switch self {
        case .malformed(let path, let line):
            "Line \(line) of \(path) is not a run of 'daybook bench'. Remove the line, or name another file."
        case .newer(let path, let line, let version):
            "Line \(line) of \(path) has version \(version), which is newer than this program. Update Daybook."
        case .system(let path, let code):
            "The history \(path) could not be used (system error \(code)). Name another file."
        }
    }
}

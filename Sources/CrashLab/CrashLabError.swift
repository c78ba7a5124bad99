/// What keeps the crash lab from working. Not a finding: a finding is a result.
enum CrashLabError: Error, Equatable, Sendable {
    /// The calls on a folder cannot be recorded.
    case recordingRefused(folder: String, code: Int32)
    /// More was written than the log holds.
    case logOverflowed
    /// No child process could be made.
    case forkFailed(code: Int32)
}

extension CrashLabError: CustomStringConvertible {
    /// One line: what happened, and what to do next.
    var description: String {
        switch self {
        case .recordingRefused(let folder, let code) where code == EBUSY:
            "Calls on \(folder) cannot be recorded: this process records already. End that recording first."
        case .recordingRefused(let folder, let code) where code == ENOTSUP:
            "Calls on \(folder) cannot be recorded on this system. Run the crash lab on Linux."
        case .recordingRefused(let folder, let code):
            "Calls on \(folder) cannot be recorded (error \(code)). Name a folder that exists and can be read."
        case .logOverflowed:
            "The run wrote more than the log holds (1 GiB). Run fewer transactions at a time."
        case .forkFailed(let code):
            "No child process could be made (error \(code)). Free memory or processes and run it again."
        }
    }
}

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

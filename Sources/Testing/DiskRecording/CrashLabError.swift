import Glibc
import SystemErrors

/// An error that keeps the crash lab from working. Findings are results, not errors.
package enum CrashLabError: Error, Equatable, Sendable {
    /// The calls on a folder cannot be recorded.
    case recordingRefused(folder: String, code: Int32)
    /// The pages read from a file cannot be counted.
    case pagesNotCounted(file: String, code: Int32)
    /// More was written than the log holds.
    case logOverflowed
    /// A call matches no file that was recorded before.
    case strayCall(String)
    /// The machine is not recording.
    case nothingWatched
    /// A machine was asked about calls that were not made.
    case noSuchCalls(Range<Int>, of: Int)
    /// A second process did not answer.
    case noAnswer(String)
    /// No child process could be created.
    case forkFailed(code: Int32)
    /// The operating system refused an operation that the lab needs.
    case system(operation: String, code: Int32)
    /// A workload failed without any fault.
    case workloadFailed(String, String)
    /// A store does not hold what the lab's model says.
    case modelMismatch(String)
    /// The second process of a workload failed.
    case peerProcessFailed
    /// The program received a signal to end.
    case interrupted
    /// A text is not a valid reproducer.
    case invalidReproducer(String)
}

extension CrashLabError: CustomStringConvertible {
    /// One line: what happened, and what to do next.
    package var description: String {
        switch self {
        case .recordingRefused(let folder, let code) where code == EBUSY:
            "Calls on \(folder) cannot be recorded: this process records already. End that recording first."
        case .recordingRefused(let folder, let code) where code == ENOTSUP:
            "Calls on \(folder) cannot be recorded on this system. Run the crash lab on Linux."
        case .recordingRefused(let folder, let code):
            "Calls on \(folder) cannot be recorded (\(SystemCondition(code))). Use a folder that exists and is readable."
        case .pagesNotCounted(let file, let code) where code == EBUSY:
            "Pages of \(file) cannot be counted: another count is running. End it first."
        case .pagesNotCounted(let file, let code) where code == ENOENT:
            "Pages of \(file) cannot be counted. Open the store after the recording began, and close it after the count."
        case .pagesNotCounted(let file, let code):
            "Pages of \(file) cannot be counted (\(SystemCondition(code))). Count a smaller piece of work."
        case .logOverflowed:
            "The run wrote more than the log holds (1 GiB). Run fewer transactions at a time."
        case .strayCall(let call):
            "The recording is incomplete: \(call) matches no file. Open files after it began."
        case .nothingWatched:
            "No folder is being watched. Begin watching one first."
        case .noSuchCalls(let calls, let count):
            "There are no calls \(calls.lowerBound)..<\(calls.upperBound): \(count) were made. Use a range within these."
        case .noAnswer(let ending):
            "The second process \(ending) before it answered. Check what it did last."
        case .forkFailed(let code):
            "No child process could be created (\(SystemCondition(code))). Free memory or processes and try again."
        case .system(let operation, let code):
            "The system refused to \(operation) (\(SystemCondition(code))). Check memory and disk space and try again."
        case .workloadFailed(let workload, let problem):
            "The workload \(workload) does not run even without a crash: \(problem). Fix that first."
        case .modelMismatch(let difference):
            "The store differs from the model even without a crash: \(difference). Fix that first."
        case .peerProcessFailed:
            "The second process of the workload failed, even without a crash. Fix that first."
        case .interrupted:
            "The run was interrupted and left nothing. Start it again for a result."
        case .invalidReproducer(let text):
            "\(text) is not a reproducer. Copy one from a report, in quotes."
        }
    }
}

/// What keeps the crash lab from working. Not a finding: a finding is a result.
enum CrashLabError: Error, Equatable, Sendable {
    /// The calls on a folder cannot be recorded.
    case recordingRefused(folder: String, code: Int32)
    /// The pages of a file that are looked at cannot be counted.
    case pagesNotCounted(file: String, code: Int32)
    /// More was written than the log holds.
    case logOverflowed
    /// A call was made that fits nothing which was recorded before.
    case strayCall(String)
    /// No recording of a machine's is going on.
    case nothingWatched
    /// A machine was asked about calls that were not made.
    case noSuchCalls(Range<Int>, of: Int)
    /// A second process did not answer.
    case noAnswer(String)
    /// No child process could be made.
    case forkFailed(code: Int32)
    /// The operating system refused something that the lab needs.
    case system(operation: String, code: Int32)
    /// A workload did not run to its end, though nothing was wrong with the disk.
    case workloadFailed(String, String)
    /// A store does not hold what the lab's model says.
    case departsFromModel(String)
    /// A task reads otherwise by its id than in its view.
    case viewsDisagree
    /// The second process of a workload failed.
    case peerFailed
    /// Someone has asked the program to end.
    case interrupted
    /// What should be replayed is no recipe.
    case badRecipe(String)
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
        case .pagesNotCounted(let file, let code) where code == EBUSY:
            "Pages of \(file) cannot be counted: some are counted already. End that count first."
        case .pagesNotCounted(let file, let code) where code == ENOENT:
            "Pages of \(file) cannot be counted. Open the store after the recording began, and close it after the count."
        case .pagesNotCounted(let file, let code):
            "Pages of \(file) cannot be counted (error \(code)). Count a smaller piece of work."
        case .logOverflowed:
            "The run wrote more than the log holds (1 GiB). Run fewer transactions at a time."
        case .strayCall(let call):
            "The recording has missed something: \(call) fits nothing before it. Open files after the watching began."
        case .nothingWatched:
            "No folder is watched. Begin watching one first."
        case .noSuchCalls(let calls, let count):
            "There are no calls \(calls.lowerBound)..<\(calls.upperBound): \(count) were made. Name some that were."
        case .noAnswer(let ending):
            "The second process \(ending) before it had answered. See what it did last."
        case .forkFailed(let code):
            "No child process could be made (error \(code)). Free memory or processes and run it again."
        case .system(let operation, let code):
            "It was refused to \(operation) (error \(code)). See that there is memory and space, and run it again."
        case .workloadFailed(let workload, let problem):
            "The workload \(workload) does not run even without a crash: \(problem). Mend that first."
        case .departsFromModel(let difference):
            "The store does not do what the model says, even without a crash: \(difference). Mend that first."
        case .viewsDisagree:
            "A task reads otherwise by its id than in its view, even without a crash. Mend that first."
        case .peerFailed:
            "The second process of the workload failed, even without a crash. Mend that first."
        case .interrupted:
            "The run was interrupted. Nothing of it is left; start it again for a result."
        case .badRecipe(let text):
            "\(text) is not a recipe. Copy one from a report, in quotes."
        }
    }
}

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

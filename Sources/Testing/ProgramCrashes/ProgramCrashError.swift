import SystemErrors

/// Why a program cannot be tested. Broken promises are results, not errors.
package enum ProgramCrashError: Error, Equatable, Sendable {
    /// The operating system or the processor has no support.
    case unsupported
    /// The folder is not empty, and would lose its content.
    case folderInUse(String)
    /// A command that prepares or changes the folder failed.
    case commandFailed(command: String, ending: String, output: String)
    /// The recorder cannot follow the program.
    case refused(String)
    /// The recording does not reproduce the folder.
    case incomplete(String)
    /// The check proves nothing, or did not run.
    case unfitCheck(String)
    /// A file of the report is missing or damaged.
    case invalidReport(folder: String)
    /// No image of the report has this reproducer.
    case noSuchImage(String)
    /// The operating system refused an operation.
    case system(operation: String, code: Int32)
}

extension ProgramCrashError: CustomStringConvertible {
    /// One line: what happened, and what to do next.
    package var description: String {
        switch self {
        case .unsupported: "Programs can be traced only on Linux, on x86-64 and aarch64."
        case .folderInUse(let folder):
            "The folder \(folder) is not empty, and the test would replace its content. Prepare the content with --before."
        case .commandFailed(let command, let ending, let output):
            "The command \(command) \(ending)" + (output.isEmpty ? "." : ": \(output)")
        case .refused(let reason): "The program cannot be recorded: \(reason)."
        case .incomplete(let files):
            "The recording is incomplete: it does not reproduce \(files). A process that was already running may have made the "
                + "change, or a call that is not recorded."
        case .unfitCheck(let reason): reason
        case .invalidReport(let folder): "The folder \(folder) has no complete report. Name one that --out was given."
        case .noSuchImage(let text): "The report has no image \(text). Copy one from its output, in quotes."
        case .system(let operation, let code):
            "The system refused to \(operation) (\(SystemCondition(code)))."
        }
    }
}

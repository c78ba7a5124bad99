/// Everything that a simulation can refuse before or while it runs. A broken promise is not an error but a failure of the
/// run, with its story.
public enum SimulationError: Error, Equatable, Sendable {
    /// A scenario file cannot be read or does not say what to do.
    case scenario(file: String, line: Int, problem: String)
    /// A local time such as `2026-03-29 00:30` was expected.
    case malformedTime(String)
    /// The machine that the world runs on cannot do this; `daybook simulate` has one that can.
    case machineCannot(String)
    /// Something waits for what never happens.
    case stuck
    /// A folder or file of the run could not be used.
    case file(operation: String, path: String, code: Int32)
}

extension SimulationError: CustomStringConvertible {
    /// One line: what happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .scenario(let file, let line, let problem):
            "\(file):\(line): \(problem)"
        case .malformedTime(let text):
            "'\(text.prefix(40))' is not a local time: write it as 2026-03-29 00:30."
        case .machineCannot(let what):
            "This machine cannot do that (\(what)): run the scenario with daybook simulate, or leave that step out."
        case .stuck:
            "Nothing can happen any more, and something still waits. Look for an await of what no step brings about."
        case .file(let operation, let path, let code):
            "Could not \(operation) \(path) (error \(code)). Check that the folder exists and is yours."
        }
    }
}

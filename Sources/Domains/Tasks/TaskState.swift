/// Where a task stands. Any state may follow any other.
public enum TaskState: UInt8, Sendable, CaseIterable, Hashable {
    /// Nothing was done yet.
    case notStarted = 0
    /// Being worked on. Several tasks may be.
    case active = 1
    /// Done.
    case completed = 2

    /// The place of the state's group in every view: active, then not started, then completed.
    public var rank: UInt8 {
        switch self {
        case .active: 0
        case .notStarted: 1
        case .completed: 2
        }
    }

    /// The state after this one when a person taps through them.
    public var next: TaskState {
        switch self {
        case .notStarted: .active
        case .active: .completed
        case .completed: .notStarted
        }
    }

    /// The name in JSON and on the command line.
    public var name: String {
        switch self {
        case .notStarted: "notStarted"
        case .active: "active"
        case .completed: "completed"
        }
    }
}

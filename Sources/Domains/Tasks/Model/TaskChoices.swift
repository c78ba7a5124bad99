/// A field with a few values that have names. It is stored as a number; a number that only a newer version of Daybook
/// knows is kept.
public protocol TaskChoice: RawRepresentable<UInt8>, CaseIterable, Hashable, Sendable where AllCases == [Self] {
    /// The value for a stored number.
    init(rawValue: UInt8)

    /// A value that only a newer version defines.
    static func unknown(_ number: UInt8) -> Self

    /// The names of the values that this version defines, by their numbers, which begin with 0.
    static var names: [String] { get }
}

extension TaskChoice {
    /// The value for a stored number.
    @inlinable public init(rawValue: UInt8) {
        self = Int(rawValue) < Self.allCases.count ? Self.allCases[Int(rawValue)] : .unknown(rawValue)
    }

    /// The name in JSON and on the command line; the number for a value that this version does not know.
    @inlinable public var name: String { isUnknown ? "\(rawValue)" : Self.names[Int(rawValue)] }

    /// Whether only a newer version defines the value. By its number: values with equal numbers are equal to the standard library.
    @inlinable public var isUnknown: Bool { Int(rawValue) >= Self.names.count }

    /// The value of a name; nil if this version has none.
    package init?(name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }
}

/// The state of a task. Any state may follow any other.
public enum TaskState: TaskChoice {
    /// Work has not begun.
    case notStarted
    /// Work is in progress. Several tasks may be active.
    case active
    /// Done.
    case completed
    /// A state that a newer version has written. The task is shown with those that are not started, and its state cannot
    /// be changed here.
    case unknown(UInt8)

    /// The states that this version defines.
    public static let allCases: [TaskState] = [.notStarted, .active, .completed]

    /// The state for a stored number.
    public init(rawValue: UInt8) {
        switch rawValue {
        case 0: self = .notStarted
        case 1: self = .active
        case 2: self = .completed
        default: self = .unknown(rawValue)
        }
    }

    /// The stored number.
    public var rawValue: UInt8 {
        switch self {
        case .notStarted: 0
        case .active: 1
        case .completed: 2
        case .unknown(let number): number
        }
    }

    /// The order of the states' groups in every view: active, not started, completed.
    public var rank: UInt8 {
        switch self {
        case .active: 0
        case .notStarted, .unknown: 1
        case .completed: 2
        }
    }

    /// The state that follows when a person cycles through them.
    public var next: TaskState {
        switch self {
        case .notStarted: .active
        case .active: .completed
        case .completed: .notStarted
        case .unknown: self
        }
    }

    /// The names in JSON and on the command line.
    public static let names = ["notStarted", "active", "completed"]
}

/// The part of the day that a task is planned for.
public enum TaskRegion: TaskChoice {
    /// No part of the day.
    case backlog
    /// Before noon.
    case morning
    /// After noon.
    case afternoon
    /// The end of the day.
    case evening
    /// A region that a newer version has written; it cannot be changed here.
    case unknown(UInt8)

    /// The regions that this version defines.
    public static let allCases: [TaskRegion] = [.backlog, .morning, .afternoon, .evening]

    /// The stored number.
    public var rawValue: UInt8 {
        switch self {
        case .backlog: 0
        case .morning: 1
        case .afternoon: 2
        case .evening: 3
        case .unknown(let number): number
        }
    }

    /// The names in JSON and on the command line.
    public static let names = ["backlog", "morning", "afternoon", "evening"]

    /// The regions in the order of a day.
    public static let ordered: [TaskRegion] = [.morning, .afternoon, .evening, .backlog]

    /// Its place in a day; a region that only a newer version defines is shown with the backlog.
    var rank: UInt8 {
        switch self {
        case .morning: 0
        case .afternoon: 1
        case .evening: 2
        case .backlog, .unknown: 3
        }
    }

    init(rank: UInt8) { self = Self.ordered[min(Int(rank), Self.ordered.count - 1)] }
}

/// The weight of a planned task within its region.
public enum TaskBucket: TaskChoice {
    /// No bucket.
    case none
    /// The one task that must be done.
    case must
    /// One of three that support it.
    case complementary
    /// One of five small tasks.
    case misc
    /// A bucket that a newer version has written; it cannot be changed here.
    case unknown(UInt8)

    /// The buckets that this version defines.
    public static let allCases: [TaskBucket] = [.none, .must, .complementary, .misc]

    /// The stored number.
    public var rawValue: UInt8 {
        switch self {
        case .none: 0
        case .must: 1
        case .complementary: 2
        case .misc: 3
        case .unknown(let number): number
        }
    }

    /// The names in JSON and on the command line.
    public static let names = ["none", "must", "complementary", "misc"]

    /// The buckets in the order of a plan.
    public static let ordered: [TaskBucket] = [.must, .complementary, .misc, .none]

    /// How many tasks that are not completed it may have in a region of a day; nil for no limit.
    public var cap: Int? {
        switch self {
        case .must: 1
        case .complementary: 3
        case .misc: 5
        case .none, .unknown: nil
        }
    }

    /// Its place in a plan; a bucket that only a newer version defines is shown with the tasks that have none.
    var rank: UInt8 {
        switch self {
        case .must: 0
        case .complementary: 1
        case .misc: 2
        case .none, .unknown: 3
        }
    }

    init(rank: UInt8) { self = Self.ordered[min(Int(rank), Self.ordered.count - 1)] }
}

/// How important a task is.
public enum TaskPriority: TaskChoice {
    /// No priority.
    case none
    /// Before all others.
    case high
    /// Before those of low priority.
    case medium
    /// After those of medium priority, and before those that have none.
    case low
    /// A priority that a newer version has written; it cannot be changed here.
    case unknown(UInt8)

    /// The priorities that this version defines.
    public static let allCases: [TaskPriority] = [.none, .high, .medium, .low]

    /// The stored number.
    public var rawValue: UInt8 {
        switch self {
        case .none: 0
        case .high: 1
        case .medium: 2
        case .low: 3
        case .unknown(let number): number
        }
    }

    /// The names in JSON and on the command line.
    public static let names = ["none", "high", "medium", "low"]

    /// The order by priority: high, medium, low, then those that have none.
    public var rank: UInt8 {
        switch self {
        case .high: 0
        case .medium: 1
        case .low: 2
        case .none, .unknown: 3
        }
    }
}

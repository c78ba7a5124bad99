/// The part of the day that the planner puts a task into.
public enum TaskRegion: UInt8, Sendable, CaseIterable, Hashable {
    /// Not planned into a part of the day.
    case backlog = 0
    /// Before noon.
    case morning = 1
    /// After noon.
    case afternoon = 2
    /// At the end of the day.
    case evening = 3
}

/// How the planner weighs a task within its region.
public enum TaskBucket: UInt8, Sendable, CaseIterable, Hashable {
    /// Not weighed.
    case none = 0
    /// The one thing that must be done.
    case must = 1
    /// One of three that go with it.
    case complementary = 2
    /// One of five small ones.
    case misc = 3
}

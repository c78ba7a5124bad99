/// What a file leaves open about a task. Nothing of it belongs to the task: two tasks that differ in it alone are equal.
public struct TaskGaps: Sendable, Equatable {
    /// Whether the file has no id for it: that was computed from the content, so that other content has another id.
    public var id = false
    /// Whether something else stands in for the time of its creation.
    var createdAt = false
    /// Whether something else stands in for the time of its completion.
    var completedAt = false
    /// Whether something else stands in for the time when it was put away.
    var archivedAt = false
    /// The names of the fields that the file has, where it need not have all; what it does not have was not edited.
    var given: Set<String>?

    /// No gaps.
    public init() {}

    /// Always: gaps make no difference.
    public static func == (_: TaskGaps, _: TaskGaps) -> Bool { true }
}

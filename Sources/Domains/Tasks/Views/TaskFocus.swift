import FoundationEssentials

/// What a person wants to see for a while: the tasks of some lists, or of one part of the day. Kept in the settings, and given
/// to views and timelines: `page(of: .today, where: settings.focus.includes)`, `timeline(focus: settings.focus)`.
public struct TaskFocus: Sendable, Hashable {
    /// The lists whose tasks are shown; empty for all tasks, also those without a list.
    public var lists: Set<UUID>
    /// The part of the day whose tasks are shown; nil for all.
    public var region: TaskRegion?

    /// A focus on lists, a part of the day, or both; without either, everything is shown.
    public init(lists: Set<UUID> = [], region: TaskRegion? = nil) {
        self.lists = lists
        self.region = region
    }

    /// Whether a task is shown.
    public func includes(_ task: TaskItem) -> Bool {
        (lists.isEmpty || task.listID.map(lists.contains) ?? false) && (region == nil || task.region == region)
    }

    /// The lists as the settings store them: ids in lower case, ascending, with commas.
    var listText: String? {
        lists.isEmpty ? nil : lists.map(\.lowercased).sorted().joined(separator: ",")
    }

    static func lists(of text: String?) -> Set<UUID> {
        Set((text ?? "").split(separator: ",").compactMap { UUID(uuidString: String($0)) })
    }
}

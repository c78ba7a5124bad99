import Daybook

/// Tasks as the page writes them.
enum TaskMarkup {
    /// The sign of a state and its name beside it.
    static func state(_ state: TaskState) -> String {
        "<i class=\"st\" aria-hidden=\"true\">\(sign(state))</i> \(words(state))"
    }

    /// A task of a view, with what is new about it.
    static func line(_ line: ViewChange.Line) -> String {
        let mark: String =
            switch line.change {
            case nil: ""
            case .added: "<b class=\"ch\" title=\"new here\">+<span class=\"vh\"> new:</span></b>"
            case .moved: "<b class=\"ch\" title=\"moved\">↕<span class=\"vh\"> moved:</span></b>"
            case .was(let old): "<b class=\"ch\" title=\"was \(words(old))\">\(sign(old))→</b>"
            }
        return "<li class=\"\(name(line.task.state))\(line.change == nil ? "" : " new")\">\(mark)\(body(line.task))"
    }

    /// A task that is not there any more.
    static func removed(_ task: StoryEvent.ShownTask) -> String {
        "<li class=\"gone\"><b class=\"ch\" title=\"gone from here\">−<span class=\"vh\"> gone:</span></b>"
            + "<s>\(PageText.isolated(task.name))</s>"
    }

    private static func body(_ task: StoryEvent.ShownTask) -> String {
        "<i class=\"st\" role=\"img\" aria-label=\"\(words(task.state))\">\(sign(task.state))</i>"
            + PageText.isolated(task.name)
    }

    private static func sign(_ state: TaskState) -> String {
        switch state {
        case .notStarted: "○"
        case .active: "◐"
        case .completed: "●"
        }
    }

    private static func name(_ state: TaskState) -> String {
        switch state {
        case .notStarted: "n"
        case .active: "a"
        case .completed: "c"
        }
    }

    private static func words(_ state: TaskState) -> String {
        switch state {
        case .notStarted: "not started"
        case .active: "active"
        case .completed: "completed"
        }
    }
}

extension TaskView {
    /// `Inbox`.
    var title: String {
        switch self {
        case .inbox: "Inbox"
        case .today: "Today"
        case .upcoming: "Upcoming"
        case .past: "Past"
        }
    }
}

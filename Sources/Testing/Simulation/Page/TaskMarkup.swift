import Daybook

/// Tasks as the page writes them. The sign of a state comes from the style, which says it in words, too: a page of a
/// long story writes tens of thousands of tasks.
enum TaskMarkup {
    /// A task of a view, with what is new about it.
    static func line(_ line: ViewChange.Line) -> String {
        let state = name(line.task.state)
        let task = PageText.isolated(line.task.name)
        guard let change = line.change else { return "<li class=\(state)>\(task)" }
        let mark =
            switch change {
            case .added: self.mark("+", "new here")
            case .moved: self.mark("↕", "moved")
            case .was(let old): self.mark("→", "was \(words(old)), now")
            }
        return "<li class=\"\(state) new\">\(mark)\(task)"
    }

    /// A task that is not there any more.
    static func removed(_ task: StoryEvent.ShownTask) -> String {
        "<li class=gone>\(mark("−", "gone from here"))<s>\(PageText.isolated(task.name))</s>"
    }

    /// What the signs beside tasks mean, as items of a list.
    static var legend: String {
        let states = TaskState.allCases.map { "<li class=\(name($0))>\(words($0))" }
        let changes = [("+", "new here"), ("→", "other state"), ("↕", "moved"), ("−", "gone from here")]
        return states.joined() + changes.map { "<li><b>\($0)</b> \($1)" }.joined()
    }

    private static func mark(_ sign: String, _ words: String) -> String {
        "<b class=ch title=\"\(words)\"><span aria-hidden=true>\(sign)</span><span class=vh>\(words): </span></b>"
    }

    /// A class of the style.
    private static func name(_ state: TaskState) -> String {
        switch state {
        case .notStarted, .unknown: "n"
        case .active: "a"
        case .completed: "c"
        }
    }

    private static func words(_ state: TaskState) -> String {
        switch state {
        case .notStarted, .unknown: "not started"
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

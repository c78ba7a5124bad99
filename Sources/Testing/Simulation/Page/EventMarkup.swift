import Daybook
import LabSupport

/// An event on the page: what was done, its outcome, and the views that changed.
struct EventMarkup {
    let event: StoryEvent
    /// The last earlier event after which the store was open.
    let before: StoryEvent?
    /// Whether this event failed.
    let isFailing: Bool

    /// A changed view of up to this size is shown completely; of a larger one only the changes.
    static let completeViewMax = 7
    /// The maximum number of changes that are shown for a large view.
    static let changesMax = 8

    private var isOpen: Bool { event.completed != nil }

    /// The event, with expandable details.
    var what: String {
        let parts = event.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let verb = HTMLText.escaped(String(parts[0]))
        let rest = parts.count > 1 ? " \(HTMLText.sentence(String(parts[1].drop { $0 == " " })))" : ""
        let refused = event.outcome.hasPrefix("refused")
        let outcome =
            event.outcome == "done" || event.outcome.isEmpty
            ? "" : "<span class=\"out\(refused ? " no" : "")\">\(HTMLText.isolated(event.outcome))</span>"
        let failing = isFailing ? "<strong class=\"bad\">✗ not as expected</strong>" : ""
        let time = LocalTime(of: event.wall, in: event.zone)
        return """
            <details class="what"\(isFailing ? " open" : "")><summary><span class="no">\(event.number)</span> \
            <time datetime="\(event.wall)">\(time.exact)</time> \
            <span class="text"><b>\(verb)</b>\(rest)</span> \(outcome)\(failing)</summary>
            \(details)</details>
            """
    }

    /// The changed views and the statistics.
    var cells: String {
        var html = ""
        for (place, view) in TaskView.allCases.enumerated() {
            let steps = event.viewReports.filter { $0.view == view }.flatMap(\.steps)
            let change = change(at: place)
            var content =
                change.isEmpty || !isOpen ? "" : list(change, isComplete: change.lines.count <= Self.completeViewMax)
            if !steps.isEmpty { content += updates(steps) }
            html +=
                content.isEmpty
                ? "<div class=\"cell\"></div>" : "<div class=\"cell\"><h4>\(view.title)</h4>\(content)</div>"
        }
        return html + statisticsCell
    }

    private func change(at place: Int) -> ViewChange {
        let old = before.flatMap { $0.views.indices.contains(place) ? $0.views[place] : nil } ?? []
        let new = event.views.indices.contains(place) ? event.views[place] : []
        return ViewChange(from: old, to: new)
    }

    private func list(_ change: ViewChange, isComplete: Bool) -> String {
        let news = change.lines.filter { $0.change != nil }
        var items: [String]
        if isComplete {
            items = change.lines.map(TaskMarkup.line) + change.removed.map(TaskMarkup.removed)
            if change.lines.isEmpty { items.append("<li class=\"more\">empty now") }
        } else {
            items = news.map(TaskMarkup.line) + change.removed.map(TaskMarkup.removed)
        }
        if items.count > Self.changesMax + Self.completeViewMax || (!isComplete && items.count > Self.changesMax) {
            let rest = items.count - Self.changesMax
            items.removeLast(rest)
            items.append("<li class=\"more\">\(HTMLText.counted(rest, "more change"))")
        }
        if !isComplete { items.append("<li class=\"more\">\(HTMLText.counted(change.lines.count, "task")) in all") }
        return "<ul>\(items.joined())</ul>"
    }

    private func updates(_ steps: [String]) -> String {
        let shown = steps.prefix(Self.changesMax).map { "<li>\(HTMLText.isolated($0))" }
        let rest = steps.count - shown.count
        let more = rest > 0 ? "<li class=\"more\">\(HTMLText.grouped(UInt64(rest))) more" : ""
        return "<ul class=\"told\" aria-label=\"Updates of the live view\">\(shown.joined())\(more)</ul>"
    }

    private var statisticsCell: String {
        let old = before?.completed ?? CompletedCounts(today: 0, week: 0, month: 0, lastMonth: 0)
        guard let counts = event.completed, counts != old else { return "<div class=\"cell stat\"></div>" }
        return "<div class=\"cell stat\"><h4>Completed</h4>\(numbers(counts))</div>"
    }

    private func numbers(_ counts: CompletedCounts) -> String {
        let old = before?.completed
        let entries = [
            ("day", counts.today, old?.today), ("week", counts.week, old?.week), ("month", counts.month, old?.month),
            ("last", counts.lastMonth, old?.lastMonth),
        ]
        return "<dl class=\"counts\">"
            + entries.map { name, count, old in
                "<div\((old ?? 0) == count ? "" : " class=\"new\"")><dt>\(name)</dt><dd>\(count)</dd></div>"
            }.joined() + "</dl>"
    }

    /// The complete views after the event, and the clocks to the microsecond.
    private var details: String {
        var html = "<div class=\"whole\">"
        if isOpen {
            html += "<div class=\"views\">"
            for (place, view) in TaskView.allCases.enumerated() {
                let change = change(at: place)
                let count = change.lines.count
                html += "<section><h4>\(view.title) <span class=\"quiet\">\(count)</span></h4>"
                html +=
                    count == 0 && change.removed.isEmpty
                    ? "<p class=\"quiet\">empty</p>"
                    : "<ol>\(change.lines.map(TaskMarkup.line).joined())\(change.removed.map(TaskMarkup.removed).joined())</ol>"
                html += "</section>"
            }
            html += "</div>"
            if let counts = event.completed { html += "<h4>Completed</h4>\(numbers(counts))" }
        } else {
            html += "<p class=\"quiet\">The store is closed.</p>"
        }
        let line = event.line.map { "<div><dt>line</dt><dd>\($0)</dd></div>" } ?? ""
        return html + """
            <dl class="clocks"><div><dt>wall</dt><dd>\(event.wall)</dd></div>\
            <div><dt>monotonic</dt><dd>\(event.monotonic.microseconds) µs</dd></div>\
            <div><dt>zone</dt><dd>\(HTMLText.escaped(event.zone.identifier))</dd></div>\
            <div><dt>today</dt><dd>\(event.today)</dd></div>\(line)</dl></div>
            """
    }
}

/// The markup of tasks. Style sheets add the symbols of states, with text alternatives, because the page of a long run
/// contains tens of thousands of tasks.
enum TaskMarkup {
    /// Returns a task of a view with its change.
    static func line(_ line: ViewChange.Line) -> String {
        let state = name(line.task.state)
        let task = HTMLText.isolated(line.task.name)
        guard let change = line.change else { return "<li class=\(state)>\(task)" }
        let mark =
            switch change {
            case .added: self.mark("+", "new here")
            case .moved: self.mark("↕", "moved")
            case .was(let old): self.mark("→", "was \(words(old)), now")
            }
        return "<li class=\"\(state) new\">\(mark)\(task)"
    }

    /// Returns a task that disappeared.
    static func removed(_ task: StoryEvent.ShownTask) -> String {
        "<li class=gone>\(mark("−", "gone from here"))<s>\(HTMLText.isolated(task.name))</s>"
    }

    /// The legend of symbols, as list items.
    static var legend: String {
        let states = TaskState.allCases.map { "<li class=\(name($0))>\(words($0))" }
        let changes = [("+", "new here"), ("→", "other state"), ("↕", "moved"), ("−", "gone from here")]
        return states.joined() + changes.map { "<li><b>\($0)</b> \($1)" }.joined()
    }

    private static func mark(_ sign: String, _ words: String) -> String {
        "<b class=ch title=\"\(words)\"><span aria-hidden=true>\(sign)</span><span class=vh>\(words): </span></b>"
    }

    /// Returns the CSS class of a state.
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

import Daybook

/// An event on the page: what was done, what came of it, and the views beside it where they changed.
struct EventMarkup {
    let event: StoryEvent
    /// The last event before it after which the store was open.
    let before: StoryEvent?
    /// Whether it is the one that was found wrong.
    let isFailing: Bool

    /// A view of up to so many tasks is shown whole where it changed; of a larger one only what is new.
    static let wholeViewMax = 7
    /// New things of a large view that are shown beside the event.
    static let changesMax = 8

    private var isOpen: Bool { event.completed != nil }

    /// The event in words, and everything that it left behind it.
    var what: String {
        let parts = event.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let verb = PageText.escaped(String(parts[0]))
        let rest = parts.count > 1 ? " \(PageText.sentence(String(parts[1].drop { $0 == " " })))" : ""
        let refused = event.outcome.hasPrefix("refused")
        let outcome =
            event.outcome == "done" || event.outcome.isEmpty
            ? "" : "<span class=\"out\(refused ? " no" : "")\">\(PageText.isolated(event.outcome))</span>"
        let failing = isFailing ? "<strong class=\"bad\">✗ not as it has to be</strong>" : ""
        let time = LocalTime(of: event.wall, in: event.zone)
        return """
            <details class="what"\(isFailing ? " open" : "")><summary><span class="no">\(event.number)</span> \
            <time datetime="\(event.wall)">\(time.exact)</time> \
            <span class="text"><b>\(verb)</b>\(rest)</span> \(outcome)\(failing)</summary>
            \(whole)</details>
            """
    }

    /// The views where they changed, and the statistics.
    var cells: String {
        var html = ""
        for (place, view) in TaskView.allCases.enumerated() {
            let told = event.told.filter { $0.view == view }.flatMap(\.steps)
            let change = change(at: place)
            var content =
                change.isEmpty || !isOpen ? "" : list(change, isWhole: change.lines.count <= Self.wholeViewMax)
            if !told.isEmpty { content += self.told(told) }
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

    private func list(_ change: ViewChange, isWhole: Bool) -> String {
        let news = change.lines.filter { $0.change != nil }
        var items: [String]
        if isWhole {
            items = change.lines.map(TaskMarkup.line) + change.removed.map(TaskMarkup.removed)
            if change.lines.isEmpty { items.append("<li class=\"more\">empty now") }
        } else {
            items = news.map(TaskMarkup.line) + change.removed.map(TaskMarkup.removed)
        }
        if items.count > Self.changesMax + Self.wholeViewMax || (!isWhole && items.count > Self.changesMax) {
            let rest = items.count - Self.changesMax
            items.removeLast(rest)
            items.append("<li class=\"more\">\(PageText.counted(rest, "more change"))")
        }
        if !isWhole { items.append("<li class=\"more\">\(PageText.counted(change.lines.count, "task")) in all") }
        return "<ul>\(items.joined())</ul>"
    }

    private func told(_ steps: [String]) -> String {
        let shown = steps.prefix(Self.changesMax).map { "<li>\(PageText.isolated($0))" }
        let rest = steps.count - shown.count
        let more = rest > 0 ? "<li class=\"more\">\(PageText.grouped(UInt64(rest))) more" : ""
        return "<ul class=\"told\" aria-label=\"The live view told\">\(shown.joined())\(more)</ul>"
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

    /// All that the views held after it, and the clocks to the microsecond.
    private var whole: String {
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
            <div><dt>zone</dt><dd>\(PageText.escaped(event.zone.identifier))</dd></div>\
            <div><dt>today</dt><dd>\(event.today)</dd></div>\(line)</dl></div>
            """
    }
}

import Daybook
import LabSupport

/// The timeline of a run, row by row.
struct StoryLine {
    let story: Story
    let number: Int
    private let layout: LineLayout

    init(story: Story, number: Int) {
        self.story = story
        self.number = number
        layout = LineLayout(story)
    }

    /// With more lanes, times do not fit into them.
    private static let roomyLanesMax = 5

    var html: String {
        let zones = layout.zones
        let width = zones.count <= Self.roomyLanesMax ? "roomy" : "dense"
        var html = "<div class=\"line \(width)\" style=\"--n:\(zones.count)\">\n" + heading + "<ol class=\"rows\">\n"
        var open: StoryEvent?
        for row in layout.rows {
            html += self.row(row, before: open)
            if case .event(let index) = row.content, story.events[index].completed != nil { open = story.events[index] }
        }
        return html + "</ol></div>"
    }

    private var heading: String {
        let lanes = layout.zones.map {
            "<b title=\"\(HTMLText.escaped($0.identifier))\"><span>\(HTMLText.escaped($0.place))</span></b>"
        }
        let views = TaskView.allCases.map { "<div class=\"cell\">\($0.title)</div>" }
        return """
            <div class="row head" aria-hidden="true"><div class="lanes">\(lanes.joined())</div>\
            <div class="what">What happened</div>\(views.joined())<div class="cell stat">Completed</div></div>

            """
    }

    private func row(_ row: LineRow, before: StoryEvent?) -> String {
        var classes = ["row"]
        if row.isAsleep { classes.append("asleep") }
        if row.isClosed { classes.append("closed") }
        switch row.content {
        case .dates:
            return item(classes + ["dates"], row, days(row, verb: "in"))
        case .boundary:
            return item(classes + ["boundary"], row, days(row, verb: "begins in"))
        case .gap(let gap):
            classes.append(gap.isJump ? "leap" : "gap")
            if !gap.midnights.isEmpty { classes.append("pile") }
            return item(classes, row, say(gap, isAsleep: row.isAsleep), style: "--h:\(height(of: gap))px")
        case .event(let index):
            let event = story.events[index]
            let isFailing = index == story.failingEvent
            let markup = EventMarkup(event: event, before: before, isFailing: isFailing)
            classes += ["event", EventMark(event).rawValue]
            if isFailing { classes.append("failing") }
            let id = "s\(number)e\(event.number)"
            return item(classes, row, markup.what + markup.cells, id: id, event: event)
        }
    }

    private func item(
        _ classes: [String], _ row: LineRow, _ content: String, id: String? = nil, style: String? = nil,
        event: StoryEvent? = nil
    ) -> String {
        let id = id.map { " id=\"\($0)\"" } ?? ""
        let style = style.map { " style=\"\($0)\"" } ?? ""
        return
            "<li class=\"\(classes.joined(separator: " "))\"\(id)\(style)>\(lanes(row, event: event))\(content)</li>\n"
    }

    // Lanes are decorative: text beside them contains the same information.
    private func lanes(_ row: LineRow, event: StoryEvent?) -> String {
        var html = "<div class=\"lanes\" aria-hidden=\"true\">"
        for (lane, zone) in layout.zones.enumerated() {
            var classes = [row.days[lane].daysSince1970.isMultiple(of: 2) ? "a" : "b"]
            if row.labels[lane] != nil, case .boundary = row.content { classes.append("mid") }
            switch (lane == row.lanes.from, lane == row.lanes.to) {
            case (true, true): classes.append("on")
            case (true, false): classes.append("off")
            case (false, true): classes.append("in")
            case (false, false): break
            }
            html += "<i class=\"\(classes.joined(separator: " "))\">"
            if let label = row.labels[lane] { html += self.label(label) }
            if let change = row.clockChanges[lane] { html += "<em>\(change)</em>" }
            if let event {
                let time = LocalTime(of: event.wall, in: zone)
                let fraction = lane == row.lanes.to ? time.milliseconds : ""
                html += "<span>\(time.short)\(fraction.isEmpty ? "" : "<small>\(fraction)</small>")</span>"
            }
            html += "</i>"
        }
        if let event {
            let (from, to) = row.lanes
            if from != to {
                html += "<s class=\"hop\" style=\"--x:\(min(from, to));--w:\(abs(to - from))\"></s>"
            }
            html += "<s class=\"sign\" style=\"--x:\(to)\">\(EventMark(event).picture)</s>"
        }
        return html + "</div>"
    }

    private func label(_ label: DayLabel) -> String {
        var notes = label.oddities.map { "<em>\($0)</em>" }
        let year = year(of: label)
        if !year.isEmpty { notes.append("<small>\(year)</small>") }
        return "<b>\(label.name)</b>" + notes.joined()
    }

    /// Describes the days and clock changes of a row, grouped by day.
    private func days(_ row: LineRow, verb: String) -> String {
        var groups: [(label: DayLabel, places: [String])] = []
        var changes: [String] = []
        for (lane, zone) in layout.zones.enumerated() {
            let place = HTMLText.escaped(zone.place)
            if let label = row.labels[lane] {
                if let group = groups.firstIndex(where: { $0.label == label }) {
                    groups[group].places.append(place)
                } else {
                    groups.append((label, [place]))
                }
            }
            if let change = row.clockChanges[lane] {
                changes.append("<span class=\"day odd\"><b>\(place)</b> <em>\(change)</em></span>")
            }
        }
        let said = groups.map { label, places in
            let isEverywhere = places.count == layout.zones.count && places.count > 1
            let odd = label.oddities.isEmpty ? "" : " <em>\(label.oddities.joined(separator: ", "))</em>"
            return "<span class=\"day\(odd.isEmpty ? "" : " odd")\"><b>\(label.name)\(year(of: label))</b>"
                + "<span class=\"vh\"> \(verb)</span> \(isEverywhere ? "everywhere" : places.joined(separator: ", "))\(odd)</span>"
        }
        return "<p class=\"say\">\((said + changes).joined(separator: " "))</p>"
    }

    /// Returns the year of a day if it differs from the first one.
    private func year(of label: DayLabel) -> String {
        label.day.year == layout.zones[0].day(of: layout.start).year ? "" : " \(label.day.year)"
    }

    private func say(_ gap: LineRow.Gap, isAsleep: Bool) -> String {
        let length = HTMLText.duration(microseconds: gap.wall)
        if gap.isJump {
            let passed =
                gap.monotonic.map { $0 == 0 ? "" : ", while \(HTMLText.duration(microseconds: $0)) pass" } ?? ""
            let direction = gap.wall < 0 ? "backward" : "forward"
            return
                "<p class=\"say\"><strong>\(gap.wall < 0 ? "↑" : "↓") The clock steps \(direction) by \(length)</strong>\(passed)</p>"
        }
        var said = "<span class=\"len\">\(length)\(isAsleep ? " asleep" : "")</span>"
        if let monotonic = gap.monotonic, monotonic != gap.wall {
            said +=
                " <span class=\"quiet\">monotonic clock: \(HTMLText.duration(microseconds: monotonic))\(monotonic < 0 ? " back" : "")</span>"
        }
        if let most = gap.midnights.max(), let least = gap.midnights.min() {
            said +=
                least == most
                ? " · <span>\(HTMLText.counted(most, "midnight")) in each zone</span>"
                : " · <span>\(least) to \(HTMLText.counted(most, "midnight")) by zone</span>"
        }
        let odd = gap.oddities.map { "<em>\(HTMLText.escaped($0))</em>" }.joined(separator: " ")
        return "<p class=\"say\">\(said) \(odd)</p>"
    }

    /// Grows with the digits of the elapsed time: noticeable, but far from proportional.
    private func height(of gap: LineRow.Gap) -> Int {
        let digits = String(gap.wall.magnitude).count
        return 14 + max(0, digits - 6) * 5
    }
}

import Daybook

/// Where everything of a story stands on its time line.
///
/// Milliseconds stand beside years in a story. So rows follow each other as events do, and the time between them is
/// drawn short: with each midnight where they are few, as a pile of days with a number where they are many.
struct LineLayout {
    /// The zones that play a role: the person's, in the order of visits, then those of the others who look.
    let zones: [Zone]
    /// The instant at which the story begins.
    let start: Instant
    /// From top to bottom.
    private(set) var rows: [LineRow] = []

    /// More boundaries than these are not drawn one by one.
    static let boundariesMax = 9
    /// Odd days that are named for one gap.
    static let odditiesMax = 5
    /// Days of one gap that are looked at for odd ones.
    static let scannedDaysMax = 40_000

    private var days: [Day]
    private var isAsleep = false
    private var isClosed = false
    private var lane = 0

    init(_ story: Story) {
        let first = (try? Zone(story.scenario.zone)) ?? story.events.first?.zone ?? .utc
        var zones = [first]
        for zone in story.events.map(\.zone) + story.scenario.lookers.compactMap({ try? Zone($0) })
        where !zones.contains(zone) {
            zones.append(zone)
        }
        self.zones = zones
        let start = story.scenario.start.instant(after: Instant(microsecondsSince1970: 0), in: first)
        self.start = start
        days = zones.map { $0.day(of: start) }
        add(.dates, labels: zip(days, zones).map { DayLabel($0, in: $1) })

        var wall = start
        var monotonic: MonotonicTime?
        for (index, event) in story.events.enumerated() {
            addWay(from: wall, to: event, monotonic: monotonic)
            add(event, at: index)
            wall = event.wall
            monotonic = event.monotonic
        }
    }

    private mutating func add(
        _ content: LineRow.Content, labels: [DayLabel?]? = nil, clockChanges: [String?]? = nil, to next: Int? = nil
    ) {
        let none = zones.count
        rows.append(
            LineRow(
                content: content, days: days, labels: labels ?? Array(repeating: nil, count: none),
                clockChanges: clockChanges ?? Array(repeating: nil, count: none), lanes: (lane, next ?? lane),
                isAsleep: isAsleep, isClosed: isClosed))
    }

    private mutating func add(_ event: StoryEvent, at index: Int) {
        let next = zones.firstIndex(of: event.zone) ?? lane
        let mark = EventMark(event)
        if mark == .wake || mark == .crash { isAsleep = false }
        // A closed store has no statistics; what only travelled or slept leaves it as it was.
        isClosed = event.completed == nil
        add(.event(index), to: next)
        if mark == .sleep { isAsleep = true }
        lane = next
    }

    /// What lies between the wall clock before an event and after it.
    private mutating func addWay(from wall: Instant, to event: StoryEvent, monotonic: MonotonicTime?) {
        let moved = event.wall.microsecondsSince1970 - wall.microsecondsSince1970
        guard moved != 0 else { return }
        let passed = monotonic.map { event.monotonic.microseconds(since: $0) }
        let isJump =
            moved < 0 || EventMark(event) == .jump || (event.kind != .machine && passed != nil && passed != moved)
        var gap = LineRow.Gap(wall: moved, monotonic: passed, isJump: isJump)
        let later = zones.map { $0.day(of: event.wall) }
        let boundaries = isJump ? nil : DayBoundary.all(in: zones, from: wall, to: event.wall, max: Self.boundariesMax)
        if let boundaries {
            add(.gap(gap))
            for boundary in boundaries {
                for (place, label) in boundary.labels.enumerated() {
                    if let label { days[place] = label.day }
                }
                add(.boundary, labels: boundary.labels, clockChanges: boundary.clockChanges)
            }
            return
        }
        if !isJump {
            gap.midnights = zip(zones, days).map { $0.midnights(after: $1, until: event.wall) }
            gap.oddities = oddities(until: later)
        }
        add(.gap(gap))
        let labels = zip(days, later).enumerated().map { place, pair in
            pair.0 == pair.1 ? nil : DayLabel(pair.1, in: zones[place])
        }
        days = later
        if labels.contains(where: { $0 != nil }) { add(.dates, labels: labels) }
    }

    /// The odd days that begin after today and until a later day, in words.
    private func oddities(until later: [Day]) -> [String] {
        var found: [String] = []
        var others = 0
        for (place, zone) in zones.enumerated() {
            let last = min(later[place], days[place].advanced(by: Self.scannedDaysMax))
            var day = days[place]
            while day < last {
                day = day.advanced(by: 1)
                guard zone.exists(day) else { continue }
                let label = DayLabel(day, in: zone)
                guard !label.oddities.isEmpty else { continue }
                if found.count < Self.odditiesMax {
                    found.append("\(zone.place), \(label.name) \(day.year): \(label.oddities.joined(separator: ", "))")
                } else {
                    others += 1
                }
            }
        }
        if others > 0 { found.append("\(PageText.counted(others, "more odd day", plural: "more odd days"))") }
        return found
    }
}

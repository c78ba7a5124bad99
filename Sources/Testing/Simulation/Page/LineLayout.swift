import Daybook
import LabSupport

/// The layout of a run's timeline.
///
/// A run can have milliseconds beside years. So rows follow each other as events do, and the time between them is
/// compressed: every midnight is drawn where they are few, and summarized with a count where they are many.
struct LineLayout {
    /// The zones involved: the user's in the order of visits, then those of other observers.
    let zones: [Zone]
    /// The instant at which the run starts.
    let start: Instant
    /// From top to bottom.
    private(set) var rows: [LineRow] = []

    /// The maximum number of boundaries that are drawn individually.
    static let boundariesMax = 9
    /// The maximum number of irregular days that are listed for one gap.
    static let odditiesMax = 5
    /// The maximum number of days of one gap that are examined for irregularities.
    static let scannedDaysMax = 40_000

    private var days: [Day]
    private var isAsleep = false
    private var isClosed = false
    private var lane = 0

    init(_ story: Story) {
        let first = (try? Zone(story.scenario.zone)) ?? story.events.first?.zone ?? .utc
        var zones = [first]
        for zone in story.events.map(\.zone) + story.scenario.observers.compactMap({ try? Zone($0) })
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
            addGap(from: wall, to: event, monotonic: monotonic)
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
        // A closed store has no statistics.
        isClosed = event.completed == nil
        add(.event(index), to: next)
        if mark == .sleep { isAsleep = true }
        lane = next
    }

    /// Adds rows for the time between an event and the previous one.
    private mutating func addGap(from wall: Instant, to event: StoryEvent, monotonic: MonotonicTime?) {
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

    /// Describes the irregular days that begin after today and up to a later day.
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
        if others > 0 { found.append("\(HTMLText.counted(others, "more odd day", plural: "more odd days"))") }
        return found
    }
}

/// One row of a timeline: an event, or the time between two events.
struct LineRow {
    /// The content of a row.
    enum Content {
        /// The start, or the dates after a step of the clock.
        case dates
        /// Elapsed time, compressed.
        case gap(Gap)
        /// An instant at which local days begin or local clocks change.
        case boundary
        /// An event by index.
        case event(Int)
    }

    /// Time between two events.
    struct Gap {
        /// The change of the wall clock.
        var wall: Int64
        /// The elapsed time, if known.
        var monotonic: Int64?
        /// Whether the clock was set.
        var isJump: Bool
        /// The midnights within the gap by lane if they are too many to draw; otherwise empty.
        var midnights: [Int] = []
        /// Descriptions of irregular days among them.
        var oddities: [String] = []
    }

    var content: Content
    /// The local days at the end of the row, by lane.
    var days: [Day]
    /// The days to label in this row, by lane.
    var labels: [DayLabel?]
    /// The clock changes in this row, by lane: `02:00 becomes 03:00`.
    var clockChanges: [String?]
    /// The user's lane at the start and the end of the row.
    var lanes: (from: Int, to: Int)
    /// Whether the machine is asleep.
    var isAsleep: Bool
    /// Whether the store is closed.
    var isClosed: Bool
}

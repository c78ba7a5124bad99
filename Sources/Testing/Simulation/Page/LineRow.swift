import Daybook

/// One row of a time line: an event, or what lies between two events.
struct LineRow {
    /// What a row is.
    enum Content {
        /// The beginning, or the dates after a leap of the clock.
        case dates
        /// Time that went by, drawn short.
        case gap(Gap)
        /// Local days begin, local clocks change: everything that happens at one instant.
        case boundary
        /// An event, by its index.
        case event(Int)
    }

    /// Time between two events.
    struct Gap {
        /// How much the wall clock moved.
        var wall: Int64
        /// How much time really went by, when that is known.
        var monotonic: Int64?
        /// Whether somebody set the clock.
        var isJump: Bool
        /// Midnights within it by lane, when there are too many to be drawn; else empty.
        var midnights: [Int] = []
        /// Odd days among those, in words.
        var oddities: [String] = []
    }

    var content: Content
    /// The local days at the end of the row, by lane.
    var days: [Day]
    /// The days that have to be named in this row, by lane.
    var labels: [DayLabel?]
    /// The changes of local clocks in this row, by lane: `02:00 becomes 03:00`.
    var clockChanges: [String?]
    /// The lane of the person at the beginning and the end of the row.
    var lanes: (from: Int, to: Int)
    /// Whether the machine sleeps.
    var isAsleep: Bool
    /// Whether the store is closed.
    var isClosed: Bool
}

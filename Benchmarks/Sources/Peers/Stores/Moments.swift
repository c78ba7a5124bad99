import Daybook

/// The moments and days at which every peer's store is queried.
enum Moments {
    /// The end of the histories.
    static let historyEnd = Instant(secondsSince1970: 1_770_739_200)  // 2026-02-10T16:00:00Z
    /// A moment on a later day, whose Today contains only the tasks planned here, whatever the store's size.
    static let planned = Instant(secondsSince1970: 1_805_529_600)  // 2027-03-20T08:00:00Z

    static let zoneName = "Europe/Berlin"

    static func zone() throws -> Zone { try Zone(zoneName) }

    static func plannedDay() throws -> Day { try zone().day(of: planned) }
    /// The day of new tasks.
    static func createDay() throws -> Day { try plannedDay().advanced(by: 3) }
    /// The day of the long list that is reordered.
    static func listDay() throws -> Day { try plannedDay().advanced(by: 31) }

    /// The number of tasks of Today, and of the long list.
    static let plannedTasks = 50
    static let listTasks = 500
    /// The distance between positions, as in Daybook.
    static let gap: Int64 = 1 << 32
}

/// The texts of new tasks, of equal length for every peer.
enum Sentences {
    static func create(_ number: Int) -> String { "Review chapter \(number + 1000) of the thesis before the meeting" }

    static func create(writer: Int, _ number: Int) -> String {
        "Task \(number + 1000) of writer \(writer + 100), to be done some day"
    }
}

/// A month as a range of moments and the offset of its days from UTC.
struct MonthRange {
    let range: Range<Instant>
    let previous: Range<Instant>
    let offset: Int64
    let dayCount: Int

    /// - Throws: a failure if the offset changes within the month: the peers' single query takes one offset.
    init(_ month: Month, zone: Zone) throws {
        guard let before = month.previous else { throw PeerFailure("there is no month before \(month)") }
        range = zone.range(of: month.days)
        previous = zone.range(of: before.days)
        offset = Int64(zone.offsetSeconds(at: range.lowerBound)) * 1_000_000
        dayCount = month.days.lowerBound.distance(to: month.days.upperBound)
        guard Int64(zone.offsetSeconds(at: range.upperBound)) * 1_000_000 == offset else {
            throw PeerFailure("the clock changes in \(month)")
        }
    }
}

/// What a peer computes once from the moment at which it is queried.
struct PeerTime {
    let now: Instant
    let zone: Zone
    /// The day, in days since 1970.
    let day: Int
    /// For new tasks.
    let identifiers: Identifiers
    /// The periods of the statistics.
    let periods: Periods

    init(_ now: Instant) throws {
        self.now = now
        zone = try Moments.zone()
        day = Int(zone.day(of: now).daysSince1970)
        identifiers = Identifiers(from: now)
        periods = try Periods(now: now, zone: zone)
    }
}

/// The bounds of the statistics' periods, computed once.
struct Periods {
    /// Today, this week, this month, last month.
    let ranges: [Range<Instant>]

    init(now: Instant, zone: Zone) throws {
        let day = zone.day(of: now)
        let month = day.monthOfYear
        guard let previous = month.previous else { throw PeerFailure("there is no month before \(month)") }
        ranges = [day..<day.advanced(by: 1), day.week(startingOn: .monday), month.days, previous.days].map {
            zone.range(of: $0)
        }
    }
}

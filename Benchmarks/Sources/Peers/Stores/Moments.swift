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

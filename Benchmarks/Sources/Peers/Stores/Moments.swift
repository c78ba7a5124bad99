import Daybook

/// The moments and days at which the stores are looked at, the same for every peer.
enum Moments {
    /// When the histories end.
    static let historyEnd = Instant(secondsSince1970: 1_770_739_200)  // 2026-02-10T16:00:00Z
    /// On a day long after it: Today holds what is planned for it here, whatever the store's size.
    static let planned = Instant(secondsSince1970: 1_805_529_600)  // 2027-03-20T08:00:00Z

    static let zoneName = "Europe/Berlin"

    static func zone() throws -> Zone { try Zone(zoneName) }

    static func plannedDay() throws -> Day { try zone().day(of: planned) }
    /// The day that creates add to.
    static func createDay() throws -> Day { try plannedDay().advanced(by: 3) }
    /// The day of the long list in which tasks get other places.
    static func listDay() throws -> Day { try plannedDay().advanced(by: 31) }

    /// How many tasks Today has, and the long list.
    static let plannedTasks = 50
    static let listTasks = 500
    /// Between places, as in Daybook.
    static let gap: Int64 = 1 << 32
}

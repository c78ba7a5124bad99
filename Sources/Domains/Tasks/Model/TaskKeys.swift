import CivilTime
import Records

/// The key of the views: day, rank of the state, position. The Inbox sorts before every day.
struct DayKey: PlacedKey {
    static var width: Int { 13 }
    static var isShownInErrors: Bool { true }

    let day: Day?
    let rank: UInt8
    let position: Int64

    init(day: Day?, rank: UInt8, position: Int64) {
        self.day = day
        self.rank = rank
        self.position = position
    }

    init(lane: DayGroupPart, position: Int64) {
        self.init(day: lane.day, rank: lane.rank, position: position)
    }

    var lane: DayGroupPart { DayGroupPart(day: day, rank: rank) }

    func encode(into key: inout KeyBytes) {
        lane.encode(into: &key)
        position.encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        day = try DayPart(decoding: &key).day
        rank = try UInt8(decoding: &key)
        position = try Int64(decoding: &key)
    }

    /// Before every task of a day.
    static func first(of day: Day) -> DayKey { DayKey(day: day, rank: 0, position: .min) }

    /// After every task of a day, and before those of the next one.
    static func end(of day: Day) -> DayKey { DayKey(day: day, rank: .max, position: .max) }
}

/// The first part of a `DayKey`: all tasks of one day, or of the Inbox.
struct DayPart: OrderedKey, Hashable {
    static var width: Int { 4 }
    static var isShownInErrors: Bool { true }
    /// Stands for the Inbox: no day of the years 1 to 9999 has this number.
    private static let inbox = Int32.min

    let day: Day?

    init(day: Day?) {
        self.day = day
    }

    func encode(into key: inout KeyBytes) {
        (day?.daysSince1970 ?? Self.inbox).encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        let number = try Int32(decoding: &key)
        day = number == Self.inbox ? nil : Day(clampingDaysSince1970: Int(number))
    }
}

/// The first two parts of a `DayKey`: the group of one state within a day.
struct DayGroupPart: OrderedKey {
    static var width: Int { 5 }
    static var isShownInErrors: Bool { true }

    let day: Day?
    let rank: UInt8

    init(day: Day?, rank: UInt8) {
        self.day = day
        self.rank = rank
    }

    func encode(into key: inout KeyBytes) {
        DayPart(day: day).encode(into: &key)
        rank.encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        day = try DayPart(decoding: &key).day
        rank = try UInt8(decoding: &key)
    }
}

/// The rank of the state, then the time of creation.
struct StateKey: OrderedKey {
    static var width: Int { 9 }
    static var isShownInErrors: Bool { true }

    let rank: UInt8
    let createdAt: Instant

    init(rank: UInt8, createdAt: Instant) {
        self.rank = rank
        self.createdAt = createdAt
    }

    func encode(into key: inout KeyBytes) {
        rank.encode(into: &key)
        createdAt.encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        rank = try UInt8(decoding: &key)
        createdAt = try Instant(decoding: &key)
    }
}

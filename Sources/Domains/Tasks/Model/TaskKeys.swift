import CivilTime
import Records

/// The key of the views: day, rank of the state, position. The Inbox sorts before every day.
struct DayKey: PlacedKey, CompoundKey {
    let day: Day?
    let rank: UInt8
    let position: Int64

    var lane: DayGroupPart { DayGroupPart(day: day, rank: rank) }
    var compound: Compound<Day?, UInt8, Int64> { Compound(day, rank, position) }

    /// Before every task of a day.
    static func first(of day: Day) -> DayKey { DayKey(day: day, rank: 0, position: .min) }

    /// After every task of a day, and before those of the next one.
    static func end(of day: Day) -> DayKey { DayKey(day: day, rank: .max, position: .max) }
}

extension DayKey {
    init(_ compound: Compound<Day?, UInt8, Int64>) { (day, rank, position) = compound.parts }
    init(lane: DayGroupPart, position: Int64) { self.init(day: lane.day, rank: lane.rank, position: position) }
}

/// The first two parts of a `DayKey`: the group of one state within a day.
struct DayGroupPart: CompoundKey {
    let day: Day?
    let rank: UInt8

    var compound: Compound<Day?, UInt8> { Compound(day, rank) }
}

extension DayGroupPart {
    init(_ compound: Compound<Day?, UInt8>) { (day, rank) = compound.parts }
}

/// The rank of the state, then the time of creation.
struct StateKey: CompoundKey {
    let rank: UInt8
    let createdAt: Instant

    var compound: Compound<UInt8, Instant> { Compound(rank, createdAt) }
}

extension StateKey {
    init(_ compound: Compound<UInt8, Instant>) { (rank, createdAt) = compound.parts }
}

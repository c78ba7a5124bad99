import CivilTime
import Foundation

@testable import Records

/// A record with an index of each kind and a roll-up.
struct Reading: Record, Equatable {
    var id: UUID
    var sensor = "roof"
    var takenAt: Instant?
    var level: Int32 = 0
    var day: Day?
    var note: String?

    static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }
    static let byLevel = Index<Reading, LevelKey>("byLevel") { LevelKey(level: $0.level, day: $0.day ?? .first) }
    static let perDay = RollUp("perDay", over: byTime)

    static let collection = RecordCollection<Reading>("readings") {
        Field(1, "sensor", .text)
        Field(2, "takenAt", .instant)
        Field(3, "level", .integer32)
        Field(4, "day", .day)
        Field(5, "note", .text)
        byTime
        byLevel
        perDay
    }

    /// The golden stores of the first version have numbers in place of the operations' names.
    static let schema = Schema().adding(collection).declaring(
        OperationDeclaration("readings.put", undoWindow: nil, formerNumber: 1),
        OperationDeclaration("readings.delete", undoWindow: nil, formerNumber: 2))

    init(_ number: UInt64, at takenAt: Instant? = nil, level: Int32 = 0, day: Day? = nil, note: String? = nil) {
        id = uuid(number)
        self.takenAt = takenAt
        self.level = level
        self.day = day
        self.note = note
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        sensor = try fields.string(1)
        takenAt = try fields.optionalInstant(2)
        level = try fields.optionalInt32(3) ?? 0
        day = try fields.optionalDay(4)
        note = try fields.optionalString(5)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sensor)
        fields.put(2, takenAt)
        fields.put(3, level)
        fields.put(4, day)
        fields.put(5, note)
    }

    /// A reading with random content; one in five was taken at no time.
    static func random(_ number: UInt64, _ dice: inout Dice) -> Reading {
        var reading = Reading(number)
        reading.takenAt = dice.chance(80) ? .random(&dice) : nil
        reading.level = Int32(dice.below(7)) - 3
        reading.day = dice.chance(50) ? Day(clampingDaysSince1970: dice.below(60) - 30) : nil
        reading.note = dice.chance(30) ? String(repeating: "n", count: dice.below(600)) : nil
        return reading
    }
}

/// A key of two parts.
struct LevelKey: CompoundKey, Comparable {
    var level: Int32
    var day: Day

    var compound: Compound<Int32, Day> { Compound(level, day) }

    static func < (left: LevelKey, right: LevelKey) -> Bool {
        (left.level, left.day) < (right.level, right.day)
    }
}

extension LevelKey {
    init(_ compound: Compound<Int32, Day>) { (level, day) = compound.parts }
}

extension Instant {
    /// An instant of three days around 1970, one in three on a quarter of an hour.
    static func random(_ dice: inout Dice) -> Instant {
        let quarters = Int64(dice.below(3 * 96)) - 96
        let rest = dice.chance(33) ? 0 : Int64(dice.below(900_000_000))
        return Instant(microsecondsSince1970: quarters * 900_000_000 + rest)
    }
}

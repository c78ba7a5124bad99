import ByteStreams
import CivilTime
import FoundationEssentials

/// Ids for records that come without one: made from the content, so that the same record has the same id every time.
enum ContentIdentifier {
    /// The id of a record that has none yet.
    static let placeholder = UUID(bigEndian: 0)

    /// The id of an object's members.
    ///
    /// Two tasks of a file that are equal in every attribute are one task.
    static func id(of members: [JSONMember]) -> UUID {
        // Taskwarrior computes these two anew for every export.
        let stable = members.filter { $0.key != "id" && $0.key != "urgency" }
        return id(of: JSONValue.canonicalText(of: stable))
    }

    /// A UUID of version 8 from a 128-bit hash (FNV-1a) of a text.
    static func id(of text: String) -> UUID {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in text.utf8 {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
        let version: UInt128 = 0x8 << 76
        let variant: UInt128 = 0x2 << 62
        let reserved: UInt128 = 0xF << 76 | 0x3 << 62
        return UUID(bigEndian: hash & ~reserved | version | variant)
    }
}

/// Ids for the records of a text file that have none: of the content, and of how many equal ones came before it, since
/// two equal lines of a list are two tasks.
struct LineIdentifiers {
    private var counts: [UUID: Int] = [:]

    /// The id of the next record with this content.
    mutating func next(for content: String, in format: TaskFormat) -> UUID {
        let first = ContentIdentifier.id(of: "\(format.rawValue)\n\(content)")
        let count = counts[first, default: 0]
        counts[first] = count + 1
        return count == 0 ? first : ContentIdentifier.id(of: "\(format.rawValue)\n\(count)\n\(content)")
    }
}

extension Instant {
    /// The years 0001 to 9999 of UTC: not every format has a way to write others.
    fileprivate static let first = Instant(secondsSince1970: -62_135_596_800)
    private static let last = Instant(microsecondsSince1970: 253_402_300_799_999_999)

    /// Refuses what lies in other years.
    func checkYear(_ field: String) throws(RecordProblem) {
        guard Self.first <= self, self <= Self.last else {
            throw RecordProblem("`\(field)` must be within the years 0001 to 9999 of UTC")
        }
    }
}

extension Zone {
    /// When a day of a file begins. East of Greenwich the first day of all does so in a year that cannot be written.
    func beginning(of day: Day) -> Instant {
        max(start(of: day), Instant.first)
    }
}

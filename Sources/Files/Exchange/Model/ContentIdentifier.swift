import ByteStreams
import CivilTime
import FoundationEssentials

/// Ids for records without one, derived from the content, so that a record has the same id in every import.
enum ContentIdentifier {
    /// The id of a record before its own is known.
    static let placeholder = UUID(bigEndian: 0)

    /// The id of an object's members.
    ///
    /// Two tasks with equal attributes are one task.
    static func id(of members: [JSONMember]) -> UUID {
        // Taskwarrior computes these two in every export.
        let stable = members.filter { $0.key != "id" && $0.key != "urgency" }
        return id(of: JSONValue.canonicalText(of: stable))
    }

    /// A UUID of version 8 from a text.
    static func id(of text: String) -> UUID { UUID(derivedFrom: text.utf8) }
}

/// Ids for the records of a text file without one, derived from the content and the number of equal records before, since
/// two equal lines are two tasks.
struct LineIdentifiers {
    private var counts: [UUID: Int] = [:]

    /// Returns the id of the next record with this content.
    mutating func next(for content: String, in format: ImportFormat) -> UUID {
        let first = ContentIdentifier.id(of: "\(format.rawValue)\n\(content)")
        let count = counts[first, default: 0]
        counts[first] = count + 1
        return count == 0 ? first : ContentIdentifier.id(of: "\(format.rawValue)\n\(count)\n\(content)")
    }
}

extension Instant {
    /// The years 0001 to 9999 of UTC, which every format can express.
    fileprivate static let first = Instant(secondsSince1970: -62_135_596_800)
    private static let last = Instant(microsecondsSince1970: 253_402_300_799_999_999)

    /// Throws a problem if the instant is in another year.
    func checkYear(_ field: String) throws(RecordProblem) {
        guard Self.first <= self, self <= Self.last else {
            throw RecordProblem("`\(field)` must be within the years 0001 to 9999 of UTC")
        }
    }
}

extension Zone {
    /// Returns the start of a day, at least the first instant of the year 1 in UTC, which is later in zones east of Greenwich.
    func beginning(of day: Day) -> Instant {
        max(start(of: day), Instant.first)
    }
}

import ByteStreams
import CivilTime

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

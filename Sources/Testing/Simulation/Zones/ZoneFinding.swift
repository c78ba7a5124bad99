import Daybook

/// One thing about a zone that is not as it should be.
public struct ZoneFinding: Sendable, Equatable, CustomStringConvertible {
    /// What was asked; the raw values say it in words.
    public enum Subject: String, Sendable {
        case unusableZone = "the zone itself"
        case dayCount = "number of days"
        case digest = "digest of all starts of days"
        case existence = "whether the date exists"
        case startOfDay = "start of day"
        case endOfDay = "end of day"
        case offset = "offset from UTC"
        case dayOfInstant = "day of instant"
        case dayThatHasBegun = "a day that has begun stays begun"
        case today = "day of the Today view"
        case todayTasks = "tasks of the Today view"
        case todayEnd = "end of the Today view"
        case dayTotal = "completions of the day"
        case previousMonthTotal = "completions of the month before"
        case statistics = "completions of today, the week, the month, the month before"
        case store = "the store"
    }

    /// The zone's name.
    public let zone: String
    /// The day it is about; nil when it is about the zone as a whole.
    public let day: Day?
    /// What was asked.
    public let subject: Subject
    /// The truth.
    public let expected: String
    /// What Daybook said.
    public let found: String

    init(zone: String, day: Day?, what subject: Subject, _ expected: String, _ found: String) {
        self.zone = zone
        self.day = day
        self.subject = subject
        self.expected = expected
        self.found = found
    }

    /// One line.
    public var description: String {
        let place = day.map { "\(zone) \($0)" } ?? zone
        return "\(place): \(subject.rawValue): expected \(expected), found \(found)"
    }
}

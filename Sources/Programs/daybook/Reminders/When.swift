import CommandSupport
import Daybook

extension Session {
    /// The moment that words name, by the grammar of `daybook help dates`; nil for `none`.
    func moment(_ words: [String]) throws -> CivilMoment? {
        let text = words.joined(separator: " ")
        return text.lowercased() == "none" ? nil : try CivilMoment(parsing: text, in: context)
    }
}

extension CivilMoment {
    /// When to remind of something.
    ///
    /// - Throws: a usage error for a day without a time.
    func reminder() throws -> TaskReminder {
        switch self {
        case .time(let day, let seconds): return .time(day, secondsIntoDay: seconds)
        case .instant(let instant): return .at(instant)
        case .day(let day): throw CommandError.usage("A reminder needs a time. Give one such as '\(day) 09:00'.")
        }
    }
}

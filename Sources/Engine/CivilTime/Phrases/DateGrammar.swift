/// The forms of days and moments, with one example each: what `daybook help dates` prints and Documentation/Dates.md
/// lists. Tests compare the three with the parser.
package enum DateGrammar {
    /// A form by an example, and what the example means.
    package struct Form: Sendable {
        /// The example.
        package let example: String
        /// What it means.
        package let meaning: String
        /// What the example is on ``DateGrammar/today``, as ``CivilMoment`` prints it.
        package let result: String

        init(_ example: String, _ result: String, _ meaning: String) {
            self.example = example
            self.meaning = meaning
            self.result = result
        }
    }

    /// The day that the examples count from, a Wednesday, in a week that starts on Monday.
    package static let today = Day(clampingDaysSince1970: 20_495)

    /// The forms of DAY.
    package static let days = [
        Form("2026-02-12", "2026-02-12", "that day"),
        Form("today", "2026-02-11", "the present day in your zone"),
        Form("tomorrow", "2026-02-12", "the day after today"),
        Form("yesterday", "2026-02-10", "the day before today"),
        Form("fri", "2026-02-13", "the next one after today, never today; also friday"),
        Form("next friday", "2026-02-20", "the one of the week after this one"),
        Form("this friday", "2026-02-13", "the next one, which may be today"),
        Form("next week", "2026-02-16", "the first day of the week after this one; also next month"),
        Form("15th", "2026-02-15", "the next day of that number, which may be today; also the 15th"),
        Form("+3d", "2026-02-14", "days from today; also +2w, +1m, +1y"),
        Form("in 2 weeks", "2026-02-25", "days, weeks, months or years from today"),
        Form("in 1 month", "2026-03-11", "the same day of a later month, or the last day of a shorter one"),
        Form("feb 11", "2026-02-11", "the first one that is not before today; also 11 feb, february 11"),
        Form("feb 11 2027", "2027-02-11", "the one of that year; also 11 feb 2027 and feb 11, 2027"),
        Form("end of week", "2026-02-15", "the last day of this week, by --week-start"),
        Form("end of month", "2026-02-28", "the last day of this month"),
        Form("eom", "2026-02-28", "the same; also eow, and eoy or end of year"),
        Form("on friday", "2026-02-13", "any of these after the word on"),
    ]

    /// The further forms of WHEN.
    package static let moments = [
        Form("17:30", "2026-02-11 17:30", "a time of today"),
        Form("5pm", "2026-02-11 17:00", "the same in the 12-hour clock; also 5:30pm"),
        Form("noon", "2026-02-11 12:00", "12:00; also tomorrow at noon"),
        Form("tonight", "2026-02-11 20:00", "today at 20:00; as a DAY, today"),
        Form("at 9", "2026-02-11 09:00", "a full hour"),
        Form("tomorrow 17:30", "2026-02-12 17:30", "a time of another day; also tomorrow at 17:30"),
        Form("17:30 tomorrow", "2026-02-12 17:30", "the same"),
        Form("tomorrow at 9", "2026-02-12 09:00", "the same with a full hour"),
        Form("2026-02-11T17:30", "2026-02-11 17:30", "the same as a day and a time"),
        Form("2026-02-11T17:30:00+01:00", "2026-02-11T16:30:00Z", "an instant in ISO 8601, with its zone"),
    ]
}

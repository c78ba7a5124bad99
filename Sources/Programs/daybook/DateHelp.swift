import Daybook

/// The help topic `dates`: the forms of days, times and recurrence rules.
enum DateHelp {
    @Sendable static func text() -> String {
        """
        DAY is one of these, in capital or small letters. Examples are for \(DateGrammar.today), a Wednesday.

        \(table(DateGrammar.days))
        WHEN is a DAY, or one of these. Where the clocks skip a time, it means the first instant after the gap; where
        they show it twice, the first of the two.

        \(table(DateGrammar.moments))
        RULE is one of these, or an RRULE of RFC 5545 such as FREQ=MONTHLY;BYDAY=2TU.

          daily, weekdays, weekly, monthly, yearly
          every 3 days, every 2 weeks, every 6 months, every 2 years
          weekly on mon,thu, every mon,thu, every 2 weeks on mon,thu
          monthly on 15, monthly on 31 (or the last day), monthly on last day, monthly on 2nd tue, monthly on last fri
          yearly on feb 29 (28 February in other years)

        Each may end with 'until DAY' or '10 times', and with 'after completion': counted from the day of completion.

        A form of several words is one argument where an option takes it: --on "next friday".

        """
    }

    private static func table(_ forms: [DateGrammar.Form]) -> String {
        forms.map { form in
            "  \(padded(form.example, to: 28))\(padded(form.result, to: 23))\(form.meaning)\n"
        }.joined()
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

import Daybook

/// The help topic `dates`: the forms of days and times.
enum DateHelp {
    @Sendable static func text() -> String {
        """
        DAY is one of these, in capital or small letters. Examples are for \(DateGrammar.today), a Wednesday.

        \(table(DateGrammar.days))
        WHEN is a DAY, or one of these. Where the clocks skip a time, it means the first instant after the gap; where
        they show it twice, the first of the two.

        \(table(DateGrammar.moments))
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

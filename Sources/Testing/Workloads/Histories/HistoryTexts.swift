/// What people write into task lists, in several languages, put together from parts.
struct HistoryTexts {
    /// One language's parts.
    struct Language {
        let name: String
        let actions: [String]
        let objects: [String]
        let details: [String]
        /// Between the parts; some languages have no spaces.
        var separator = " "
        /// Whether the action comes after the object.
        var actionIsLast = false
    }

    /// How often each language is used, of all weights together.
    private static let weights = languages.enumerated().map { index, _ in index == 0 ? 60 : 8 }

    let draws: SeededDraws

    /// A task's text: 20 to 80 characters as a rule, with a long tail.
    func text() -> String {
        let language = Self.languages[draws.index(weights: Self.weights)]
        let action = draws.pick(language.actions, or: "")
        let object = draws.pick(language.objects, or: "")
        var text =
            language.actionIsLast
            ? object + language.separator + action : action + language.separator + object
        let details = language.details
        let first = draws.number(below: details.count)
        for number in 0..<min(draws.longTail(scale: 3, doublings: 3), details.count) {
            text += language.separator + details[(first + number) % details.count]
        }
        if draws.happens(120) { text += " #\(draws.number(below: 4000))" }
        if draws.happens(30) { text += " " + draws.pick(Self.marks, or: "") }
        return text
    }

    /// Notes: some hundred characters, in lines.
    func notes() -> String {
        var lines: [String] = []
        for _ in 0..<(4 + draws.longTail(scale: 6, doublings: 4)) { lines.append("- " + text()) }
        return lines.joined(separator: "\n")
    }

    private static let marks = ["📌", "🚀", "👩‍👩‍👧", "☎️", "🇹🇷", "✅"]
}

import Daybook

/// What a word means where a day, a moment, a number, ... is wanted.
extension ScenarioNode {
    func when(_ owner: String) throws(ScenarioProblem) -> When {
        let wanted = "a day: today, tomorrow, inbox, 2026-02-11, +3d, or a weekday such as fri"
        let text = try text(owner, wanted)
        do {
            return try When(text)
        } catch .malformedDayPhrase {
            throw misfit(owner, wanted)
        } catch {
            throw ScenarioProblem(line, error.description)
        }
    }

    func moment(_ owner: String) throws(ScenarioProblem) -> Moment {
        let wanted = "a moment: 2026-03-29 00:30, 08:00, midnight, or an instant such as 2026-03-29T00:30:00Z"
        guard let moment = Moment(try text(owner, wanted)) else { throw misfit(owner, wanted) }
        return moment
    }

    func duration(_ owner: String, mayBeNegative: Bool) throws(ScenarioProblem) -> Duration {
        let wanted = "a duration: 3d, 1h 30m, 2.9s, 500ms" + (mayBeNegative ? ", or -1d" : "")
        guard let duration = Duration(text: try text(owner, wanted)) else { throw misfit(owner, wanted) }
        guard mayBeNegative || duration >= .zero else {
            throw ScenarioProblem(
                line, "\(shown(owner)) goes forward only; here stands \(kind). A clock is set back by jump.")
        }
        return duration
    }

    func zone(_ owner: String) throws(ScenarioProblem) -> String {
        let name = try text(owner, "a zone such as Europe/Berlin")
        do {
            return try Zone(name).identifier
        } catch {
            throw ScenarioProblem(line, error.description)
        }
    }

    func view(_ owner: String) throws(ScenarioProblem) -> TaskView {
        let wanted = WordKind.view.title
        guard let view = TaskView(rawValue: try text(owner, wanted)) else { throw misfit(owner, wanted) }
        return view
    }

    func number<Number: FixedWidthInteger>(_ owner: String, from least: Number) throws(ScenarioProblem) -> Number {
        let wanted = "a number from \(least)"
        guard let number = Number(try text(owner, wanted)), number >= least else { throw misfit(owner, wanted) }
        return number
    }

    func oneOf<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type, _ owner: String
    ) throws(ScenarioProblem) -> Word where Word.RawValue == String {
        let wanted = type.allCases.map { "\(owner): \($0.rawValue)" }.joined(separator: " or ")
        guard let word = Word(rawValue: try text(owner, wanted)) else { throw misfit(owner, wanted) }
        return word
    }

    func yesOrNo(_ owner: String) throws(ScenarioProblem) -> Bool {
        switch try text(owner, "yes or no") {
        case "yes", "true": return true
        case "no", "false": return false
        default: throw misfit(owner, "yes or no")
        }
    }

    /// Only `yes` makes sense.
    func yes(_ owner: String) throws(ScenarioProblem) {
        guard try yesOrNo(owner) else {
            throw ScenarioProblem(line, "\(shown(owner)) is either yes or left out.")
        }
    }
}

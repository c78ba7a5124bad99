import Daybook

/// Parses words as days, moments, numbers, …
extension ScenarioNode {
    func when(_ owner: String) throws(ScenarioProblem) -> When {
        let wanted = "a day: today, tomorrow, inbox, 2026-02-11, +3d, or a weekday such as fri"
        let text = try text(owner, wanted)
        do {
            return try When(text)
        } catch .malformedDay {
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

    package func duration(_ owner: String, mayBeNegative: Bool) throws(ScenarioProblem) -> Duration {
        let wanted = "a duration: 3d, 1h 30m, 2.9s, 500ms" + (mayBeNegative ? ", or -1d" : "")
        guard let duration = Duration(text: try text(owner, wanted)) else { throw misfit(owner, wanted) }
        guard mayBeNegative || duration >= .zero else {
            throw ScenarioProblem(
                line, "\(quoted(owner)) only goes forward; found \(kind). Use jump for a step backward.")
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

    package func number<Number: FixedWidthInteger>(_ owner: String, from least: Number) throws(ScenarioProblem)
        -> Number
    {
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

    package func yesOrNo(_ owner: String) throws(ScenarioProblem) -> Bool {
        switch try text(owner, "yes or no") {
        case "yes", "true": return true
        case "no", "false": return false
        default: throw misfit(owner, "yes or no")
        }
    }

    /// Accepts only `yes`.
    func yes(_ owner: String) throws(ScenarioProblem) {
        guard try yesOrNo(owner) else {
            throw ScenarioProblem(line, "\(quoted(owner)) is either yes or left out.")
        }
    }
}

/// What is wrong with a scenario, and in which line. The reader adds the file.
package struct ScenarioProblem: Error, Equatable {
    package let line: Int
    package let text: String

    package init(_ line: Int, _ text: String) {
        self.line = line
        self.text = text
    }
}

/// Returns a text of the file in quotes, at most 40 characters and without control characters, so that it is safe to
/// print.
package func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(40).map { scalar -> Character in
        scalar.properties.generalCategory == .control ? "?" : Character(scalar)
    }
    return "'\(String(scalars))\(text.unicodeScalars.count > 40 ? "..." : "")'"
}

/// Suggestions for misspelled words in error messages.
package enum SpellingSuggestions {
    /// Returns the most similar known word; nil if none is similar.
    static func nearest(to word: String, of known: some Sequence<String>) -> String? {
        let wanted = plain(word)
        let allowed = max(1, wanted.count / 3)
        // Long texts are not misspelled keys, and the comparison takes the product of both lengths.
        guard (2...40).contains(wanted.count) else { return nil }
        var best: (distance: Int, word: String)?
        for candidate in known {
            let distance = edits(wanted, plain(candidate))
            if distance <= allowed, distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        return best?.word
    }

    /// Returns `: did you mean 'create'?`, or `otherwise` if no known word is similar.
    package static func suggestion(for word: String, of known: some Sequence<String>, otherwise: String) -> String {
        nearest(to: word, of: known).map { ": did you mean '\($0)'?" } ?? otherwise
    }

    /// Treats `week-starts`, `weekStarts` and `Week starts` alike.
    private static func plain(_ word: String) -> [UInt8] {
        word.lowercased().utf8.filter { !" -_".utf8.contains($0) }
    }

    /// Returns the number of letters to insert, delete, replace or swap with the next to turn one word into the other.
    private static func edits(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var next = [i + 1]
            for (j, other) in right.enumerated() {
                var cost = min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { cost = min(cost, before[j - 1] + 1) }
                next.append(cost)
            }
            before = row
            row = next
        }
        return row[right.count]
    }
}

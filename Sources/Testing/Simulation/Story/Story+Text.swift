import Daybook

extension Story {
    /// How many steps an excerpt shows.
    private static let excerptMax = 12

    /// How it went, in lines: its last steps, and of a failure what was expected and what was found.
    public var excerpt: [String] {
        var lines: [String] = []
        let last = events.suffix(Self.excerptMax)
        if !last.isEmpty {
            lines.append(last.count < events.count ? "its last \(last.count) steps:" : "the story so far:")
            let width = "\(events.count)".count
            lines += last.map { Self.line(of: $0, numberWidth: width) }
        }
        if let failure {
            lines += ["expected:"] + Self.block(failure.expected) + ["found:"] + Self.block(failure.found)
        }
        return lines
    }

    private static func line(of event: StoryEvent, numberWidth: Int) -> String {
        let number = "\(event.number)"
        let padding = String(repeating: " ", count: numberWidth - number.count)
        let outcome = ["done", "as expected"].contains(event.outcome) ? "" : "  -> \(event.outcome)"
        let clock = Moment(shownAt: event.wall, in: event.zone)
        return "  \(padding)\(number)  \(clock) \(event.zone.identifier)  \(event.text)\(outcome)"
    }

    private static func block(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { "  \($0)" }
    }
}

extension Story: CustomStringConvertible {
    /// Of a failure its file and line, what it was about, and the ``excerpt``: `#expect(story.isGood, "\(story)")`.
    public var description: String {
        guard let failure else { return "\(scenario): everything was as it has to be" }
        let place = (scenario.file ?? scenario.name) + (failure.line.map { ":\($0)" } ?? "")
        return (["\(place): \(failure.subject)"] + excerpt.map { "  \($0)" }).joined(separator: "\n")
    }
}

import Daybook
import Simulation

/// How a story went wrong, in lines: its last steps, what was expected, and what was found.
struct StoryExcerpt {
    let lines: [String]

    private static let stepsMax = 12

    init(_ story: Story) {
        var lines: [String] = []
        let last = story.events.suffix(Self.stepsMax)
        if !last.isEmpty {
            lines.append(last.count < story.events.count ? "its last \(last.count) steps:" : "the story so far:")
            let numberWidth = "\(story.events.count)".count
            for event in last {
                let number = "\(event.number)"
                let padding = String(repeating: " ", count: numberWidth - number.count)
                let isPlain = ["done", "as expected"].contains(event.outcome)
                let outcome = isPlain ? "" : "  -> \(event.outcome)"
                lines.append(
                    "  \(padding)\(number)  \(Self.clock(event)) \(event.zone.identifier)  \(event.text)\(outcome)")
            }
        }
        if let failure = story.failure {
            lines += ["expected:"] + Self.block(failure.expected) + ["found:"] + Self.block(failure.found)
        }
        self.lines = lines.map(VisibleText.of)
    }

    private static func block(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { "  \($0)" }
    }

    /// What the clock on the wall shows, which is another day than today now and then.
    private static func clock(_ event: StoryEvent) -> String {
        let local = event.wall.microsecondsSince1970 + Int64(event.zone.offsetSeconds(at: event.wall)) * 1_000_000
        let dayLength: Int64 = 86_400_000_000
        let time = (local % dayLength + dayLength) % dayLength
        let day = Day(clampingDaysSince1970: Int((local - time) / dayLength))
        return Moment.local(day, microseconds: time).description
    }
}

import Daybook

extension Story {
    /// The number of steps in an excerpt.
    private static let excerptMax = 12

    /// The last steps of the run in lines, and for a failure the expected and the found values.
    public var excerpt: [String] {
        var lines: [String] = []
        let last = events.suffix(Self.excerptMax)
        if !last.isEmpty {
            lines.append(last.count < events.count ? "its last \(last.count) steps:" : "the steps so far:")
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
    /// The file, line and subject of a failure followed by the ``excerpt``: `#expect(story.isGood, "\(story)")`.
    public var description: String {
        guard let failure else { return "\(scenario): all expectations were met" }
        let place = (scenario.file ?? scenario.name) + (failure.line.map { ":\($0)" } ?? "")
        return (["\(place): \(failure.subject)"] + excerpt.map { "  \($0)" }).joined(separator: "\n")
    }
}

/// An event as one line of JSON: the format of `daybook simulate --trace`.
public struct TraceLine {
    /// The line without its terminator.
    public let text: String

    /// Formats an event.
    public init(_ event: StoryEvent) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("number", event.number)
            if let line = event.line { writer.field("line", line) }
            writer.field("step", event.text)
            writer.field("outcome", event.outcome)
            writer.field("wall", "\(event.wall)")
            writer.field("monotonic", Int(event.monotonic.microseconds))
            writer.field("zone", event.zone.identifier)
            writer.field("today", "\(event.today)")
            for (view, tasks) in zip(TaskView.allCases, event.views) {
                writer.array(view.rawValue) { writer in
                    for task in tasks { writer.string("\(task.name) (\(task.state.name))") }
                }
            }
            for report in event.viewReports {
                writer.array("told \(report.view.rawValue)") { writer in
                    for step in report.steps { writer.string(step) }
                }
            }
            if let completed = event.completed {
                writer.array("completed") { writer in
                    for count in [completed.today, completed.week, completed.month, completed.lastMonth] {
                        writer.int(count)
                    }
                }
            }
        }
        text = String(decoding: writer.bytes, as: UTF8.self)
    }
}

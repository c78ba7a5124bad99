import Daybook

/// An event as one line of JSON: the form of `daybook simulate --trace`.
public struct TraceLine {
    /// The line, without its end.
    public let text: String

    /// The line of an event.
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
            for told in event.told {
                writer.array("told \(told.view.rawValue)") { writer in
                    for step in told.steps { writer.string(step) }
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

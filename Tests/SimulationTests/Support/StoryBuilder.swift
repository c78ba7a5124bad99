import Daybook
import Simulation

/// Builds run records by hand, with its own list of tasks and their views by day.
struct StoryBuilder {
    private struct Task {
        var name: String
        var state: TaskState
        var day: Day?
    }

    /// A malformed moment.
    struct NoMoment: Error {
        var text: String
    }

    private(set) var story: Story
    private(set) var wall: Instant
    private(set) var zone: Zone
    private var monotonic = MonotonicTime(microseconds: 5_000_000)
    private var tasks: [Task] = []
    private var completions: [Instant] = []
    private var isClosed = false

    init(_ name: String, starts: String, zone: String, requirements: [String] = []) throws {
        guard let start = Moment(starts) else { throw NoMoment(text: starts) }
        var scenario = Scenario(name: name, start: start, zone: zone)
        scenario.requirements = requirements
        self.zone = try Zone(zone)
        wall = start.instant(after: Instant(secondsSince1970: 0), in: self.zone)
        story = Story(of: scenario)
        story.digest = 0x00c0_ffee_1234_5678
    }

    var today: Day { zone.day(of: wall) }
    var names: [String] { tasks.map(\.name) }

    mutating func setObservers(_ zones: [String]) { story.scenario.observers = zones }

    mutating func create(_ name: String, on day: Day? = nil) {
        add("create: \(name)\(day.map { ", on: \($0)" } ?? "")", .operation) {
            $0.tasks.insert(Task(name: name, state: .notStarted, day: day), at: 0)
        }
    }

    mutating func setState(_ name: String, _ state: TaskState) {
        let verb = ["reopen", "start", "complete"][Int(state.rawValue)]
        add("\(verb): \(name)", .operation) { builder in
            guard let index = builder.tasks.firstIndex(where: { $0.name == name }) else { return }
            builder.tasks[index].state = state
            if state == .completed { builder.completions.append(builder.wall) }
        }
    }

    mutating func schedule(_ name: String, on day: Day?) {
        add("schedule: \(name), on: \(day?.description ?? "inbox")", .operation) { builder in
            guard let index = builder.tasks.firstIndex(where: { $0.name == name }) else { return }
            builder.tasks[index].day = day
        }
    }

    mutating func moveLast(_ name: String) {
        add("reorder: \(name), last: yes", .operation) { builder in
            guard let index = builder.tasks.firstIndex(where: { $0.name == name }) else { return }
            builder.tasks.append(builder.tasks.remove(at: index))
        }
    }

    mutating func delete(_ name: String) {
        add("delete: \(name)", .operation) { $0.tasks.removeAll { $0.name == name } }
    }

    mutating func advance(_ duration: Duration) {
        add("advance: \(duration.text)", .time) { $0.pass(duration) }
    }

    mutating func advance(to moment: String) throws {
        guard let instant = Moment(moment)?.instant(after: wall, in: zone) else { throw NoMoment(text: moment) }
        add("advance to: \(moment)", .time) { builder in
            builder.pass(.microseconds(instant.microsecondsSince1970 - builder.wall.microsecondsSince1970))
        }
    }

    mutating func jump(_ duration: Duration) {
        add("jump: \(duration.text)", .time) { builder in
            let old = builder.monotonic
            builder.pass(duration)
            builder.monotonic = old
        }
    }

    mutating func travel(to identifier: String) throws {
        let zone = try Zone(identifier)
        add("travel: \(identifier)", .time) { $0.zone = zone }
    }

    mutating func expect(_ text: String) { add("expect: \(text)", .expectation) { _ in } }

    mutating func close() { add("close", .machine) { $0.isClosed = true } }
    mutating func open() { add("open", .machine) { $0.isClosed = false } }

    mutating func machine(_ text: String, outcome: String = "done") { add(text, .machine, outcome: outcome) { _ in } }

    mutating func refuse(_ text: String, code: String) { add(text, .operation, outcome: "refused: \(code)") { _ in } }

    mutating func fail(_ failure: StoryFailure) { story.failure = failure }

    mutating func reportView(_ view: TaskView, _ steps: [String]) {
        story.events[story.events.count - 1].viewReports.append(.init(view: view, steps: steps))
    }

    private mutating func pass(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        wall = wall.advanced(byMicroseconds: microseconds)
        monotonic = monotonic.advanced(byMicroseconds: microseconds)
    }

    private mutating func add(
        _ text: String, _ kind: StoryEvent.Kind, outcome: String = "done", _ change: (inout StoryBuilder) -> Void
    ) {
        change(&self)
        let number = story.events.count + 1
        var event = StoryEvent(
            number: number, line: number + 4, text: text, kind: kind, outcome: outcome, wall: wall,
            monotonic: monotonic, zone: zone, today: today)
        if !isClosed {
            event.views = TaskView.allCases.map(shown)
            let days = completions.map { zone.day(of: $0) }
            let week = today.week(startingOn: .monday)
            event.completed = CompletedCounts(
                today: days.count { $0 == today }, week: days.count { week.contains($0) },
                month: days.count { $0.monthOfYear == today.monthOfYear },
                lastMonth: days.count { $0.monthOfYear == today.monthOfYear.previous })
        }
        story.events.append(event)
    }

    private func shown(_ view: TaskView) -> [StoryEvent.ShownTask] {
        let today = today
        return tasks.filter { task in
            switch view {
            case .inbox: task.day == nil
            case .today: task.day == today
            case .upcoming: task.day.map { $0 > today } ?? false
            case .past: task.day.map { $0 < today } ?? false
            }
        }.sorted { $0.state.rank < $1.state.rank }.map { .init(name: $0.name, state: $0.state) }
    }
}

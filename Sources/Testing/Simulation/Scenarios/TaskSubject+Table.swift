import Daybook

extension TaskSubject {
    /// All subjects.
    static let table = lists + dates + planner + others

    private static let lists: [TaskSubject] = [
        TaskSubject("lists", .list(.list)) { _, witness in .texts(try witness.tasks.lists().lists.map(\.list.name)) },
        TaskSubject("colors", .by(.list, .word(.text))) { expected, witness in
            try witness.tasks.read { reading in
                try witness.each(expected) { name, _ in .text(try reading.findList(name).color) }
            }
        },
        TaskSubject("tasks of", .by(.list, .list(.taskName))) { expected, witness in
            try witness.tasks.read { reading in
                try witness.each(expected) { name, _ in
                    witness.names(try reading.tasks(inList: try witness.list(name, reading)))
                }
            }
        },
        TaskSubject("open in", .by(.list, .word(.number))) { expected, witness in
            let overview = try witness.tasks.lists()
            return witness.each(expected) { name, _ in
                if name == TaskVerbWords.unlisted { return .number(overview.unlisted) }
                return overview.lists.first { $0.list.name == name }.map { .number($0.open) } ?? .none
            }
        },
    ]

    private static let dates: [TaskSubject] = [
        TaskSubject("overdue", .list(.taskName)) { _, witness in witness.names(try witness.tasks.overdue()) },
        TaskSubject("reminder schedule", .by(.taskName, .word(.instant))) { expected, witness in
            let all = Instant(microsecondsSince1970: .min)..<Instant(microsecondsSince1970: .max)
            let found = try witness.tasks.schedule(in: all)
            return .complete(found.map { .init(witness.name($0.task.id), .text("\($0.at)")) }, asFor: expected)
        },
        TaskSubject("timeline", .by(.moment, .list(.taskName))) { expected, witness in
            let entries = try witness.tasks.timeline().entries.map { entry in
                ScenarioValue.Entry(
                    Moment(shownAt: entry.at, in: witness.context.zone).description, witness.names(entry.tasks))
            }
            return .complete(entries, asFor: expected)
        },
    ]

    private static let planner: [TaskSubject] = [
        reported("carried"), reported("unassigned"), reported("archived"), reported("delivered"),
        TaskSubject("plan", .by(TaskVerb.regions, .by(TaskVerb.buckets, .list(.taskName)))) { _, witness in
            let plan = try witness.tasks.plan(on: witness.context.today)
            return .map(
                plan.regions.map { region in
                    .init(
                        region.region.name,
                        .map(region.buckets.map { .init($0.bucket.name, witness.names($0.tasks)) }))
                })
        },
        TaskSubject("region", .by(TaskVerb.regions, .list(.taskName))) { expected, witness in
            try witness.each(expected) { name, _ in
                guard let region = TaskRegion(name: name) else { return .none }
                return witness.names(try witness.tasks.tasks(on: witness.context.today, in: region))
            }
        },
        TaskSubject("plan counts", .by(TaskVerb.regions, .fields(countShape))) { _, witness in
            let counts = try witness.tasks.planCounts(on: witness.context.today)
            return .map(
                TaskRegion.allCases.map { region in
                    .init(
                        region.name,
                        .map(
                            [.init("open", .number(counts.open(in: region)))]
                                + TaskBucket.allCases.map {
                                    .init($0.name, .number(counts.used(in: region, $0)))
                                }))
                })
        },
    ]

    /// The tasks that verbs have returned under this name since the last check.
    private static func reported(_ name: String) -> TaskSubject {
        TaskSubject(name, .list(.taskName)) { _, witness in
            .texts(witness.reported[name, default: []].map(witness.name))
        }
    }

    private static let countShape =
        [(name: "open", shape: ValueShape.word(.number))]
        + TaskBucket.allCases.map { (name: $0.name, shape: ValueShape.word(.number)) }

    private static let others: [TaskSubject] = [
        // As many days of the rule as are expected.
        TaskSubject("next days", .by(.taskName, .list(.day))) { expected, witness in
            try witness.each(expected) { name, days in
                guard let task = try witness.tasks.get(witness.id(name)), task.recurrence != nil,
                    case .list(let wanted) = days
                else { return .none }
                let (today, zone) = (witness.context.today, witness.context.zone)
                let found = task.daysOfRule(limit: wanted.count, today: today, in: zone)
                return .texts(found.map { "\($0)" })
            }
        },
        TaskSubject("found", .by(.text, .list(.taskName))) { expected, witness in
            try witness.each(expected) { words, _ in witness.names(try witness.tasks.search(words).records) }
        },
        TaskSubject("categories", .by(.text, .fields([("open", .word(.number)), ("all", .word(.number))]))) {
            expected, witness in
            let found = try witness.tasks.categories()
            return .complete(
                found.map { .init($0.name, .named(["open": .number($0.open), "all": .number($0.all)])) },
                asFor: expected)
        },
        TaskSubject("blocked", .list(.taskName)) { _, witness in witness.names(try witness.tasks.blockedTasks()) },
        TaskSubject("blockers of", .by(.taskName, .list(.taskName))) { expected, witness in
            try witness.each(expected) { name, _ in
                witness.names(try witness.tasks.blockers(of: witness.id(name)))
            }
        },
        TaskSubject("review of", .by(.day, .fields(reviewShape))) { expected, witness in
            try witness.each(expected) { day, _ in
                let review = try witness.tasks.review(ofWeekContaining: try Day(day))
                return .named([
                    "week start": .text("\(review.weekStart)"), "completed": .number(review.completed),
                    "carried": .number(review.carried), "overdue": .number(review.overdue),
                    "rate": review.completionRate.map { .number($0) } ?? .none,
                ])
            }
        },
    ]

    private static let reviewShape: [(name: String, shape: ValueShape)] = [
        ("week start", .word(.day)), ("completed", .word(.number)), ("carried", .word(.number)),
        ("overdue", .word(.number)), ("rate", .wordOrNothing(.text)),
    ]
}

extension ScenarioValue {
    /// Named values all of which must be expected; `accepts` ignores those that are not named.
    static func complete(_ found: [Entry], asFor expected: ScenarioValue) -> ScenarioValue {
        guard case .map(let wanted) = expected, wanted.count == found.count else {
            return found.isEmpty ? .none : .list([.map(found)])
        }
        return .map(found)
    }
}

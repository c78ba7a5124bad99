import Daybook
import FoundationEssentials

extension Verbs {
    /// What is changed in a task.
    static let details: [String: Verb] = [
        "edit": .onTasks { act, ids, tasks, _ in
            let (text, notes, category) = (act.text, act.notes, act.category)
            try await tasks.edit(ids) { task in
                if let text { task.text = text }
                if let notes { task.notes = notes.isEmpty ? nil : notes }
                if let category { task.category = category.isEmpty ? nil : category }
            }
        },
        "due": .onTasks { act, ids, tasks, context in
            try await tasks.due(ids, try act.moment(in: context).map { TaskDue($0) })
        },
        "remind": .onTasks { act, ids, tasks, context in
            guard let moment = try act.moment(in: context) else {
                try await tasks.remind(ids, nil as TaskReminder?)
                return
            }
            guard let reminder = TaskReminder(typed: moment) else {
                throw Problem(
                    code: "date", text: "A reminder needs a time of day: add one, such as 'fri 17:30'.",
                    remedy: Remedy.change.rawValue)
            }
            try await tasks.remind(ids, reminder)
        },
        "repeat": .onTasks { act, ids, tasks, context in
            let text = try act.require(act.text).trimmed
            guard !text.isEmpty else {
                try await tasks.repeat(ids, by: nil)
                return
            }
            try await tasks.repeat(ids, by: try VerbArguments.typed { try RecurrenceRule(parsing: text, in: context) })
        },
        "wait": .onTasks { act, ids, tasks, context in
            let text = try act.require(act.text).trimmed
            try await tasks.wait(
                ids, until: text.isEmpty ? nil : try VerbArguments.typed { try Day(parsing: text, in: context) })
        },
        "tag": .onTasks { act, ids, tasks, _ in
            let id = try act.task()
            let wanted = try act.require(act.tags).map(\.trimmed).filter { !$0.isEmpty }
            let present = try tasks.get(id)?.tags ?? []
            try await tasks.untag(ids, present.filter { !wanted.contains($0) })
            try await tasks.tag(ids, wanted.filter { !present.contains($0) })
        },
        "priority": .onTasks { act, ids, tasks, _ in
            let name = act.priority ?? ""
            let priority = try act.require(name.isEmpty ? TaskPriority.none : TaskPriority.named(name))
            try await tasks.setPriority(ids, to: priority)
        },
        "list": .onTasks { act, ids, tasks, _ in try await tasks.move(ids, toList: try act.list.map(uuid)) },
        "block": .onTasks { act, _, tasks, _ in
            try await tasks.block(try act.task(), by: try uuid(act.require(act.blocker)))
        },
        "unblock": .onTasks { act, _, tasks, _ in
            try await tasks.unblock(try act.task(), by: try uuid(act.require(act.blocker)))
        },
        "subtask": .onTasks { act, _, tasks, _ in
            try await tasks.create(NewTask(try act.require(act.text), parent: try act.task()))
        },
        "place": .onTasks { act, ids, tasks, context in
            let region = try act.region.map { try act.require(TaskRegion.named($0)) }
            let bucket = try act.bucket.map { try act.require(TaskBucket.named($0)) }
            if act.day != nil { try await tasks.schedule(ids, on: try act.when(in: context)) }
            if ids.count == 1 {
                try await tasks.place(ids[0], region: region, bucket: bucket, at: act.place?.place)
            } else {
                try await tasks.place(ids, region: region, bucket: bucket)
            }
        },
        "sticky": .onTasks { act, ids, tasks, _ in try await tasks.setSticky(ids, to: try act.require(act.on)) },
        "autoCarry": .onTasks { act, ids, tasks, _ in try await tasks.setAutoCarry(ids, to: try act.require(act.on)) },
    ]
}

extension TaskChoice {
    /// The case of a name.
    fileprivate static func named(_ name: String) -> Self? { allCases.first { $0.name == name } }
}

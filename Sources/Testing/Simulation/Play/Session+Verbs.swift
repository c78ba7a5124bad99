import Daybook

/// The verbs of the table, and the reminders that an application delivers.
extension Session {
    /// Performs an action with such verbs, in one transaction. Returns the code of the refusal.
    func performVerbs(_ action: Action, _ openStore: OpenStore) async throws -> String? {
        if case .perform(TaskVerb.deliverReminders, _, _) = action {
            deliversReminders = true
            startDelivering()
            await world.settle()
            return nil
        }
        let before = moment
        let action = try action.resolved(at: before)
        let steps = StoreSteps(actions: action.parts, ids: ids, moment: before, context: world.context)
        var outcome = StoreSteps.Outcome()
        let found = try await refusal {
            outcome = try await openStore.daybook.tasks.write(action.operation) { try steps.perform(in: $0) }
        }
        await world.settle()
        if try checkFault(found, since: before) { return found }
        try learn(outcome, of: action.parts)
        if !isBeyondModel { try await followChanges(by: "the step", openStore) }
        return found
    }

    /// Names the tasks that actions have created, and keeps what verbs have returned.
    func learn(_ outcome: StoreSteps.Outcome, of actions: [Action]) throws {
        for case .create(let name, _, _) in actions {
            if let id = outcome.created[name] { try learn(name, isNew: id) }
        }
        reported.merge(outcome.reported) { $0 + $1 }
    }

    /// Names the tasks that a verb has created by their text, or the name of the task whose occurrences they are. Further
    /// tasks of one name have a number: `Water the plants 2`.
    func learnTasks(of daybook: DaybookStore) throws {
        for view in TaskView.allCases {
            for task in try daybook.tasks.read({ try $0.tasks(in: view) }) where names[task.id] == nil {
                let first = task.parentRecurringID.flatMap { names[$0] } ?? task.text
                var (name, number) = (first, 1)
                while ids[name] != nil {
                    number += 1
                    name = "\(first) \(number)"
                }
                learn(name, is: task.id)
            }
        }
    }

    /// Whether there are changes since the last comparison.
    func hasUnknownChanges() throws -> Bool {
        guard let daybook = openStore?.daybook else { return false }
        return Int(try daybook.read { try $0.lastSequence() }) > knownSequence
    }

    // MARK: Reminders

    /// Delivers reminders from now on, if the scenario has asked for it.
    func startDelivering() {
        guard deliversReminders, let openStore, openStore.reminders == nil else { return }
        self.openStore?.reminders = ReminderFollower(of: openStore.daybook.tasks, after: lastDelivered, in: world)
    }

    /// Waits until every reminder that is due was delivered, and notes which were. Each must be delivered once.
    func compareReminders(_ openStore: OpenStore) async throws {
        guard let reminders = openStore.reminders else { return }
        let tasks = openStore.daybook.tasks
        let now = moment.wall
        let isDone = await world.executor.settle {
            if reminders.hasRepeated { return true }
            return reminders.isWaiting && (try? tasks.read { try $0.undelivered(at: now).due.isEmpty }) == true
        }
        guard !reminders.hasRepeated else {
            throw StoryFailure("the reminders", expected: "each delivered once", found: "one that was delivered before")
        }
        guard isDone else {
            throw StoryFailure("the reminders", expected: "all that are due are delivered", found: "one that is not")
        }
        lastDelivered = reminders.last
        reported["delivered", default: []] += reminders.take()
    }
}

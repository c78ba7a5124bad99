import Daybook

/// The comparison after every step.
extension Session {
    /// Compares everything that the store shows, counts and reports with the model.
    ///
    /// - Throws: `StoryFailure` for the first difference.
    func compare() async throws {
        guard let openStore else { return }
        if isBeyondModel { try learnTasks(of: openStore.daybook) }
        let moment = moment
        let content = try look(at: openStore.daybook)
        shownViews = TaskView.allCases.map { view in
            content.views[view, default: []].map { .init(name: name(of: $0.id), state: $0.state) }
        }
        if !isBeyondModel, !domainHasTasks {
            try compareViews(content, at: moment)
            try compareCounts(openStore, at: moment)
            try compareNotice(openStore, at: moment)
            try compareRest(openStore, at: moment)
        }
        try compareRecords(openStore)
        if !world.isAsleep {
            try await compareReminders(openStore)
            try await compareNews(openStore, content, at: moment)
        }
        knownSequence = Int(try openStore.daybook.read { try $0.lastSequence() })
        try verify(openStore.daybook)
    }

    /// Verifies every byte after each change as long as that is cheap. Verification reads the whole change log, so in a
    /// long run it happens only after every few changes.
    private func verify(_ daybook: DaybookStore) throws {
        let changes = model.sequence - (verified ?? -1)
        guard changes > model.changesKept / 1_000 || isBeyondModel else { return }
        try verifyNow(daybook)
    }

    func verifyNow(_ daybook: DaybookStore) throws {
        let problems = try daybook.verify().problems
        guard problems.isEmpty else {
            throw StoryFailure("verify", expected: "no problems", found: problems.joined(separator: "; "))
        }
        verified = model.sequence
    }

    // MARK: Views

    /// What a store shows at one moment.
    private struct StoreContent {
        var views: [TaskView: [TaskItem]] = [:]
        var today: TodayView
        var upcoming: [UpcomingDay]
        var reminders: [TaskItem]
        var count: Int
    }

    private func look(at daybook: DaybookStore) throws -> StoreContent {
        try daybook.tasks.read { reading in
            let today = try reading.today()
            var content = StoreContent(
                today: today, upcoming: try reading.upcoming(), reminders: try reading.dueReminders(),
                count: try reading.count())
            content.views = [
                .inbox: try reading.inbox(), .today: today.tasks, .upcoming: content.upcoming.flatMap(\.tasks),
                .past: try reading.past(),
            ]
            return content
        }
    }

    private func compareViews(_ content: StoreContent, at moment: ModelMoment) throws {
        try expect("today's date", moment.today, content.today.day)
        try expect("the end of today", moment.zone.end(of: moment.today), content.today.validUntil)
        for view in TaskView.allCases {
            let found = content.views[view, default: []]
            if model.uncertain != nil { settle(found) }
            let expected = model.state.tasks(in: view, today: moment.today)
            try compare(view.rawValue, expected, found)
            try comparePlaces(found)
            guard view == .today else { continue }
            try expect(
                "the number of completed tasks of today", expected.count { $0.state == .completed },
                content.today.completedCount)
        }
        let days = model.state.days.filter { $0 > moment.today }
        try expect("the days of upcoming", days, content.upcoming.map(\.day))
        try expect(
            "the labels of upcoming", days.map { ModelState.label(of: $0, today: moment.today) },
            content.upcoming.map(\.label))
        try compareReminders("due reminders", content.reminders) { $0 <= moment.wall }
        try expect("the number of tasks", model.state.tasks.count, content.count)
    }

    func compare(_ subject: String, _ expected: [ModelTask], _ found: [TaskItem]) throws {
        let found = found.map { ModelTask($0, name: name(of: $0.id)) }
        guard expected != found else { return }
        throw StoryFailure(
            subject, expected: Self.list(expected.map(\.description)), found: Self.list(found.map(\.description)))
    }

    /// Simultaneous reminders may come in any order.
    func compareReminders(_ subject: String, _ found: [TaskItem], where isAsked: (Instant) -> Bool) throws {
        func words(_ name: String, _ instant: Instant) -> String { "\(instant.microsecondsSince1970) \(name)" }
        let expected = model.state.reminders.filter { isAsked($0.instant) }.map { words($0.name, $0.instant) }
        let instants = found.compactMap(\.reminderAt)
        try expect("the order of \(subject)", instants.sorted(), instants)
        try expect(
            subject, expected.sorted(),
            found.map { task in task.reminderAt.map { words(name(of: task.id), $0) } ?? "none" }.sorted())
    }

    static func list(_ lines: [String]) -> String {
        lines.isEmpty ? "nothing" : lines.joined(separator: "\n")
    }

    /// Compares positions, which order the tasks of all states of a day.
    func comparePlaces(_ tasks: [TaskItem]) throws {
        for (day, found) in places(of: tasks) where model.state.places[day, default: []] != found {
            throw StoryFailure(
                "places of \(day.map { "\($0)" } ?? "the Inbox")",
                expected: model.state.places[day, default: []].joined(separator: ", "),
                found: found.joined(separator: ", "))
        }
    }

    private func settle(_ tasks: [TaskItem]) {
        guard let uncertain = model.uncertain, let id = ids[uncertain.name],
            let task = tasks.first(where: { $0.id == id })
        else { return }
        model.settle(places(of: tasks)[task.scheduledDate, default: []], updatedAt: task.updatedAt)
    }

    private func places(of tasks: [TaskItem]) -> [Day?: [String]] {
        Dictionary(grouping: tasks, by: \.scheduledDate).mapValues { tasks in
            tasks.sorted { $0.position < $1.position }.map { name(of: $0.id) }
        }
    }

    /// Formats values only if they differ.
    func expect<Value: Equatable>(
        _ subject: @autoclosure () -> String, _ expected: Value, _ found: Value
    ) throws(StoryFailure) {
        guard expected != found else { return }
        throw StoryFailure(subject(), expected: "\(expected)", found: "\(found)")
    }

    func expect<Value: Equatable>(
        _ subject: @autoclosure () -> String, _ expected: [Value], _ found: [Value]
    ) throws(StoryFailure) {
        guard expected != found else { return }
        throw StoryFailure(
            subject(), expected: Self.list(expected.map { "\($0)" }), found: Self.list(found.map { "\($0)" }))
    }

    // MARK: Counts

    private func compareCounts(_ openStore: OpenStore, at moment: ModelMoment) throws {
        for daybook in [openStore.daybook] + openStore.observers {
            let zone = daybook.context.zone
            let found = try daybook.tasks.statistics()
            let (counts, isEmpty) = model.state.statistics(
                at: moment.wall, in: zone, weekStart: scenario.weekStart)
            let foundCounts = CompletedCounts(
                today: found.today, week: found.week, month: found.month, lastMonth: found.lastMonth)
            if daybook === openStore.daybook { shownCounts = foundCounts }
            guard counts == foundCounts, isEmpty == !found.hasHistory, found.day == zone.day(of: moment.wall),
                found.weekStart <= found.day, found.weekStart.advanced(by: 7) > found.day,
                found.weekStart.weekday == scenario.weekStart, counts.trend == found.trend
            else {
                throw StoryFailure(
                    "statistics in \(zone)",
                    expected: "\(zone.day(of: moment.wall)) in a week from \(scenario.weekStart): \(counts), "
                        + "\(counts.trend), empty: \(isEmpty)",
                    found: "\(found.day) in the week from \(found.weekStart): \(foundCounts), \(found.trend), "
                        + "empty: \(!found.hasHistory)")
            }
        }
    }

    private func compareNotice(_ openStore: OpenStore, at moment: ModelMoment) throws {
        let expected = model.notice(at: moment).map { "\($0.text): \($0.names)" } ?? "none"
        let found =
            openStore.daybook.tasks.undoNotice.map { "\($0.text): \($0.tasks.map(name(of:)).sorted())" } ?? "none"
        try expect("the notice", expected, found)
    }

    // MARK: Change feed and live views

    private func compareNews(_ openStore: OpenStore, _ content: StoreContent, at moment: ModelMoment) async throws {
        let views = content.views
        let today = content.today.day
        let expected = isBeyondModel ? 0 : expectedChanges.count
        let followers = openStore.followers
        let feed = openStore.feed
        let hasCaughtUp = await world.executor.settle {
            feed.count >= expected
                && followers.allSatisfy { $0.hasCaughtUp(with: views[$0.view, default: []], on: today) }
        }
        for follower in openStore.followers {
            guard hasCaughtUp || follower.hasCaughtUp(with: views[follower.view, default: []], on: today) else {
                throw StoryFailure(
                    "the live view \(follower.view.rawValue)", expected: "the current view",
                    found: "an earlier view")
            }
            let updates = try follower.take()
            for update in updates.dropLast() where !isBeyondModel && !domainHasTasks {
                try comparePassing(update, in: follower.view)
            }
            if let last = updates.last, last.validUntil != content.today.validUntil {
                throw StoryFailure(
                    "the end of the live view \(follower.view.rawValue)", expected: "\(content.today.validUntil)",
                    found: "\(last.validUntil)")
            }
            let steps = updates.flatMap(\.steps).map(words)
            if !steps.isEmpty {
                viewReports.append(StoryEvent.ViewReport(view: follower.view, steps: steps))
                unaskedViewSteps[follower.view, default: []] += steps
            }
        }
        try compareFeed(feed)
    }

    /// Checks an intermediate update of a live view: the view of a day that has passed since, or the one before an
    /// operation that had to wait.
    private func comparePassing(_ update: ViewUpdate, in view: TaskView) throws {
        let found = update.tasks.map { ModelTask($0, name: name(of: $0.id)) }
        let expected = model.state.tasks(in: view, today: update.today)
        guard found != expected, found != stateBefore.tasks(in: view, today: update.today) else { return }
        throw StoryFailure(
            "the live view \(view.rawValue) on the way", expected: Self.list(expected.map(\.description)),
            found: Self.list(found.map(\.description)))
    }

    private func words(_ step: ViewUpdate.Step) -> String {
        switch step {
        case .removed(let task, let index): "removed \(name(of: task.id)) at \(index)"
        case .inserted(let task, let index): "inserted \(name(of: task.id)) at \(index)"
        case .moved(let task, let from, let to): "moved \(name(of: task.id)) from \(from) to \(to)"
        case .updated(let task, let index): "updated \(name(of: task.id)) at \(index)"
        }
    }

    private func compareFeed(_ feed: FeedFollower) throws {
        let changes = feed.take()
        let found = modelChanges(changes)
        let expected = expectedChanges
        expectedChanges = []
        let restoration = current == .redo || current == .elsewhere(.redo) ? "redo of " : "undo of "
        unaskedChanges += found.map { ($0.isRestoration ? restoration : "") + "\($0.operation)" }
        if isBeyondModel { return }
        guard expected.count == found.count, zip(expected, found).allSatisfy({ $0.accepts($1) }) else {
            throw StoryFailure(
                "the change feed", expected: Self.list(expected.map(\.description)),
                found: Self.list(found.map(\.description)))
        }
        for (change, number) in zip(changes, (model.sequence - changes.count + 1)...)
        where change.sequence != UInt64(number) {
            throw StoryFailure("the change feed", expected: "number \(number)", found: "number \(change.sequence)")
        }
    }
}

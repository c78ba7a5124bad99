import CivilTime
import FoundationEssentials
import Records

/// What a widget shows over the next hours, so that it need not run in between.
public struct Timeline: Sendable, Hashable {
    /// What is shown from an instant on.
    public struct Entry: Sendable, Hashable {
        /// The instant.
        public let at: Instant
        /// Open tasks: those that are overdue then, the longest first, then those of that day in the order of its view.
        public let tasks: [TaskItem]
    }

    /// The first entry is of now; the others are of each instant at which a task is due or to be reminded of and of each
    /// midnight; the last one is at the end of the time that was asked for.
    public let entries: [Entry]
    /// When to ask again even if nothing was changed: after 15 minutes.
    public let refreshAfter: Instant

    /// Whether it shows what an earlier one does from its own beginning on, so that nobody has to draw it.
    func continues(_ earlier: Timeline) -> Bool {
        guard let start = entries.first?.at, let earlierStart = earlier.entries.first?.at, start >= earlierStart else {
            return false
        }
        let (own, other) = (steps(from: start), earlier.steps(from: start))
        return own.count == other.count && zip(own, other).allSatisfy { $0.at == $1.at && $0.tasks == $1.tasks }
    }

    /// What is shown at an instant, and each instant after it at which something else is.
    private func steps(from start: Instant) -> [Entry] {
        var steps = [Entry(at: start, tasks: entries.last { $0.at <= start }?.tasks ?? [])]
        for entry in entries where entry.at > start && entry.tasks != steps[steps.count - 1].tasks {
            steps.append(entry)
        }
        return steps
    }

    /// Seconds after which a widget asks again.
    static let refreshInterval: Int64 = 900
    /// How many entries a timeline has at most; the later instants are left out then.
    static let entryLimit = 250
}

extension TaskReading {
    /// Returns what a widget shows from now on.
    ///
    /// - Parameters:
    ///   - hours: How far it reaches.
    ///   - limit: How many tasks an entry shows.
    ///   - focus: Which tasks count.
    /// - Complexity: for each entry a step and a look-up for each task that it shows, and for those that the focus leaves out
    ///   before them.
    public func timeline(hours: Int = 24, limit: Int = 6, focus: TaskFocus = TaskFocus()) throws -> Timeline {
        let (now, zone) = (transaction.context.clock.wall, transaction.context.zone)
        let end = now.advanced(bySeconds: Int64(hours) * 3600)
        let coming = now.advanced(byMicroseconds: 1)..<max(end, now.advanced(byMicroseconds: 2))
        var instants: Set<Instant> = []
        for task in try due(in: coming, limit: Timeline.entryLimit) where focus.includes(task) {
            if let end = task.due(in: zone)?.end(in: zone) { instants.insert(end) }
        }
        let reminders = try transaction[TaskItem.byReminder].range(
            from: coming.lowerBound, to: coming.upperBound, limit: Timeline.entryLimit)
        instants.formUnion(reminders.filter(focus.includes).compactMap(\.reminderAt))
        var midnight = zone.end(of: zone.day(of: now))
        while midnight < end {
            instants.insert(midnight)
            midnight = zone.end(of: zone.day(of: midnight))
        }
        instants.remove(end)
        let shown = [now] + instants.sorted().prefix(Timeline.entryLimit - 2) + (end > now ? [end] : [])
        return Timeline(
            entries: try shown.map { Timeline.Entry(at: $0, tasks: try tasks(shownAt: $0, limit: limit, focus)) },
            refreshAfter: now.advanced(bySeconds: Timeline.refreshInterval))
    }

    private func tasks(shownAt moment: Instant, limit: Int, _ focus: TaskFocus) throws -> [TaskItem] {
        var tasks = try overdue(at: moment, limit: limit, where: focus.includes)
        let known = Set(tasks.map(\.id))
        try transaction[TaskItem.byDay].forEach(prefix: transaction.context.zone.day(of: moment)) { task in
            // Completed tasks come last within a day.
            guard tasks.count < limit, !task.isCompleted else { return false }
            if focus.includes(task), !known.contains(task.id) { tasks.append(task) }
            return true
        }
        return tasks
    }
}

/// The timelines of a widget: the present one, and another each time that something else is to be shown, by a change of any
/// process, at a midnight, and when the clock steps or the zone changes. It is the signal to reload a widget.
///
/// That time passes changes nothing that a timeline has not shown before: a commit that concerns no task in it is not reported.
///
///     for try await timeline in store.tasks.observeTimeline() { widgets.reload(with: timeline) }
public struct LiveTimeline: AsyncSequence, Sendable {
    /// What a widget shows from an instant on.
    public typealias Element = Timeline

    let query: LiveQuery<Shown>

    /// A timeline that equals the one before it if it only continues that.
    struct Shown: Sendable, Equatable {
        let timeline: Timeline

        static func == (earlier: Shown, later: Shown) -> Bool { later.timeline.continues(earlier.timeline) }
    }

    /// Starts to follow what is shown.
    public func makeAsyncIterator() -> Iterator { Iterator(query: query.makeAsyncIterator()) }

    /// Reads after each commit and at each midnight, and returns what shows something else than the last timeline.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        var query: LiveQuery<Shown>.Iterator

        /// Waits for the next timeline; the first is returned at once.
        ///
        /// - Throws: `RecordsError` if the store fails or is closed, `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> Timeline? { try await query.next()?.value.timeline }
    }
}

extension TaskList {
    /// Follows what a widget shows, with the pending changes of this session.
    ///
    /// - Complexity: that of `timeline` for each commit.
    public func observeTimeline(
        hours: Int = 24, limit: Int = 6, focus: TaskFocus = TaskFocus()
    ) -> LiveTimeline {
        LiveTimeline(
            query: observe { LiveTimeline.Shown(timeline: try $0.timeline(hours: hours, limit: limit, focus: focus)) })
    }

    /// Returns what a widget shows from now on.
    public func timeline(
        hours: Int = 24, limit: Int = 6, focus: TaskFocus = TaskFocus()
    ) throws(TaskError) -> Timeline {
        try view { try $0.timeline(hours: hours, limit: limit, focus: focus) }
    }
}

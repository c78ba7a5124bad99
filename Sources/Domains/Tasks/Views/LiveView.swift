import CivilTime
import FoundationEssentials
import Records

/// A change of a view, and the view after it.
public struct ViewUpdate: Sendable, Equatable {
    /// One step from the previous view to this one, in the order in which the steps are applied: removals from the back,
    /// insertions from the front, updates.
    public enum Step: Sendable, Equatable {
        /// The task at an index was removed from the view.
        case removed(TaskItem, at: Int)
        /// A task was inserted at an index.
        case inserted(TaskItem, at: Int)
        /// A task moved, and perhaps changed.
        case moved(TaskItem, from: Int, to: Int)
        /// The task at an index changed in place.
        case updated(TaskItem, at: Int)

        var isMove: Bool {
            if case .moved = self { true } else { false }
        }
    }

    /// The day on which the view was read.
    public let today: Day
    /// The tasks of the view.
    public let tasks: [TaskItem]
    /// The steps from the previous update; in the first update every task is inserted.
    public let steps: [Step]
    /// When the view changes without a write: the next midnight, in the zone in which it was read.
    public let validUntil: Instant
}

extension ViewUpdate {
    /// Returns removals with their indices in the old list, from the back, and insertions with theirs in the new one, from
    /// the front. A task that is removed and inserted is a move.
    static func steps(from old: [TaskItem], to new: [TaskItem]) -> [Step] {
        var removals: [Step] = []
        var insertions: [Step] = []
        let difference = new.map(\.id).difference(from: old.map(\.id)).inferringMoves()
        for removal in difference.removals.reversed() {
            guard case .remove(let index, _, let destination) = removal, destination == nil else { continue }
            removals.append(.removed(old[index], at: index))
        }
        var moved: Set<UUID> = []
        for insertion in difference.insertions {
            guard case .insert(let index, let id, let origin) = insertion else { continue }
            if let origin {
                moved.insert(id)
                insertions.append(.moved(new[index], from: origin, to: index))
            } else {
                moved.insert(id)
                insertions.append(.inserted(new[index], at: index))
            }
        }
        let before = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let updates = new.enumerated().compactMap { index, task -> Step? in
            guard !moved.contains(task.id), let earlier = before[task.id], earlier != task else { return nil }
            return .updated(task, at: index)
        }
        return removals + insertions + updates
    }

    /// Returns the result of applying steps to a list.
    public static func apply(_ steps: [Step], to old: [TaskItem]) -> [TaskItem] {
        var result = old
        let movedFrom = steps.compactMap { step -> Int? in
            if case .moved(_, let from, _) = step { from } else { nil }
        }
        let removedFrom = steps.compactMap { step -> Int? in
            if case .removed(_, let index) = step { index } else { nil }
        }
        for index in (movedFrom + removedFrom).sorted(by: >) { result.remove(at: index) }
        for step in steps {
            switch step {
            case .removed: break
            case .inserted(let task, let index), .moved(let task, _, let index): result.insert(task, at: index)
            case .updated(let task, let index): result[index] = task
            }
        }
        return result
    }
}

/// The changes of a view: by any process, at midnight, and when the clock steps or the zone changes. Nothing runs in
/// between but one timer for the next midnight.
///
/// The first update holds the whole view. Changes outside the view are not reported. Several changes at once may be
/// reported as one.
public struct LiveView: AsyncSequence, Sendable {
    /// A change, and the view after it.
    public typealias Element = ViewUpdate

    let list: TaskList
    let view: TaskView

    /// Starts to follow the view.
    public func makeAsyncIterator() -> Iterator {
        Iterator(list: list, view: view)
    }

    /// Reads the view after each commit, at midnight, and after steps of the clock and changes of the zone.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let list: TaskList
        private let view: TaskView
        private var last: ViewUpdate?

        init(list: TaskList, view: TaskView) {
            self.list = list
            self.view = view
        }

        /// Waits for the next update and returns it.
        ///
        /// - Throws: `RecordsError` if the store fails or is closed, `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> ViewUpdate? {
            let signal = try list.store.commitSignal()
            while true {
                let generation = signal.generation
                let context = list.store.context
                let (now, zone) = (context.clock.wall, context.zone)
                let today = zone.day(of: now)
                let midnight = zone.end(of: today)
                let tasks = try list.store.read { try $0.tasks.tasks(in: view, today: today) }
                guard let last, tasks == last.tasks, today == last.today else {
                    let update = update(to: tasks, today: today, validUntil: midnight)
                    self.last = update
                    return update
                }
                // The last day of the calendar has no next midnight.
                let end = midnight > now ? midnight : Instant(microsecondsSince1970: .max)
                try await wait(for: signal, past: generation, while: now..<end, in: zone)
            }
        }

        private func update(to tasks: [TaskItem], today: Day, validUntil midnight: Instant) -> ViewUpdate {
            var steps = ViewUpdate.steps(from: last?.tasks ?? [], to: tasks)
            if list.store.injectionPoint(.missesMoves) { steps.removeAll(where: \.isMove) }
            return ViewUpdate(today: today, tasks: tasks, steps: steps, validUntil: midnight)
        }

        /// Each of the three compares with what the view was read by, so nothing since is missed.
        private func wait(
            for signal: CommitSignal, past generation: UInt64, while range: Range<Instant>, in zone: Zone
        ) async throws {
            let context = list.store.context
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await signal.wait(past: generation) }
                group.addTask { try await context.clock.sleep(while: range) }
                group.addTask { try await context.zones.waitForChange(from: zone) }
                try await group.next()
                group.cancelAll()
            }
        }
    }
}

extension TaskList {
    /// Returns the changes of a view, including those at midnight.
    public func changes(in view: TaskView) -> LiveView {
        LiveView(list: self, view: view)
    }

    /// Returns every change of the store after a sequence number, in order, by any process.
    public func changes(after sequence: UInt64) -> ChangeFeed {
        store.changes(after: sequence)
    }
}

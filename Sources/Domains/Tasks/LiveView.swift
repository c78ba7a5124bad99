import CivilTime
import FoundationEssentials
import Records

/// What changed in a view, and the view as it is now.
public struct ViewUpdate: Sendable, Equatable {
    /// One step from the view before to the view now. Applied in order: removals from the back, then insertions from the
    /// front, then updates.
    public enum Step: Sendable, Equatable {
        /// The task at an index left the view.
        case removed(TaskItem, at: Int)
        /// A task came into the view at an index.
        case inserted(TaskItem, at: Int)
        /// A task changed its place, and perhaps its content.
        case moved(TaskItem, from: Int, to: Int)
        /// The task at an index changed and kept its place.
        case updated(TaskItem, at: Int)

        var isMove: Bool {
            if case .moved = self { true } else { false }
        }
    }

    /// The day that was today when the view was read.
    public let today: Day
    /// The tasks of the view now.
    public let tasks: [TaskItem]
    /// What led here from the update before; every task as inserted in the first one.
    public let steps: [Step]
    /// When the view changes by itself: the next midnight, in the zone in which it was read.
    public let validUntil: Instant
}

extension ViewUpdate {
    /// Removals with their index in the old list, from the back; insertions with theirs in the new one, from the front.
    /// A task that is removed here and inserted there is a move.
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

    /// The list that the steps lead to from the old one: what an application that applies them sees.
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

/// A view that tells what changes in it: by any process, by the coming of midnight, and when the clock is set or the zone
/// becomes another. Nothing runs in between: it is woken once at each midnight.
///
/// The first update holds the whole view. A change elsewhere tells nothing. Several changes at once may come as one.
public struct LiveView: AsyncSequence, Sendable {
    /// What the view tells: a change, and the view after it.
    public typealias Element = ViewUpdate

    let list: TaskList
    let view: TaskView

    /// Begins to follow the view.
    public func makeAsyncIterator() -> Iterator {
        Iterator(list: list, view: view)
    }

    /// Reads the view when something was committed, the day is over, the clock was set or the zone changed.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let list: TaskList
        private let view: TaskView
        private var last: ViewUpdate?

        init(list: TaskList, view: TaskView) {
            self.list = list
            self.view = view
        }

        /// The next update; waits for one. Throws when the task is cancelled.
        public mutating func next() async throws -> ViewUpdate? {
            let signal = try list.store.commitSignal()
            while true {
                let generation = signal.generation
                let context = list.store.context
                let (now, zone) = (context.clock.wall, context.zone)
                let today = zone.day(of: now)
                let midnight = zone.end(of: today)
                let tasks = try list.read { try $0.tasks(in: view, today: today) }
                guard let last, tasks == last.tasks, today == last.today else {
                    let update = update(to: tasks, today: today, validUntil: midnight)
                    self.last = update
                    return update
                }
                // The calendar's last day has no midnight that could still come.
                let end = midnight > now ? midnight : Instant(microsecondsSince1970: .max)
                try await wait(for: signal, past: generation, while: now..<end, in: zone)
            }
        }

        private func update(to tasks: [TaskItem], today: Day, validUntil midnight: Instant) -> ViewUpdate {
            var steps = ViewUpdate.steps(from: last?.tasks ?? [], to: tasks)
            if list.store.injectionPoint(.missesMoves) { steps.removeAll(where: \.isMove) }
            return ViewUpdate(today: today, tasks: tasks, steps: steps, validUntil: midnight)
        }

        /// Each of the three knows what the view was read by, so nothing is missed that happened since.
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
    /// A view that tells what changes in it, midnight included.
    public func changes(in view: TaskView) -> LiveView {
        LiveView(list: self, view: view)
    }

    /// Every change of the store after a sequence number, in order, each once, of this process or another.
    public func changes(after sequence: UInt64) -> ChangeFeed {
        store.changes(after: sequence)
    }
}

import Daybook
import FoundationEssentials
import Synchronization

/// The approach of small applications: all tasks in memory, and one file that each change rewrites.
final class JSONPeer: Peer {
    private let tasks: Mutex<[UUID: TaskFields]>
    private let path: String
    private let time: PeerTime

    static func path(_ folder: String) -> String { "\(folder)/tasks.json" }

    init(folder: String, now: Instant) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = Self.path(folder)
        time = try PeerTime(now)
        var all: [UUID: TaskFields] = [:]
        if FileManager.default.fileExists(atPath: path) {
            let list = try JSONDecoder().decode([TaskFields].self, from: try Data(contentsOf: URL(filePath: path)))
            all.reserveCapacity(list.count)
            for task in list { all[task.id] = task }
        }
        tasks = Mutex(all)
    }

    func close() {}

    // MARK: Views

    private func view(_ isShown: (Int) -> Bool) -> [TaskFields] {
        tasks.withLock { tasks in
            tasks.values.filter { task in
                task.archivedAt == nil && task.day.map(isShown) == true
            }.sorted { left, right in
                (left.day ?? 0, left.state, left.position) < (right.day ?? 0, right.state, right.position)
            }
        }
    }

    func today() -> Int { view { $0 == time.day }.count }

    func upcoming() -> Int { DayGroup.groups(of: view { $0 > time.day }).reduce(0) { $0 + $1.tasks.count } }

    func ids(of view: PeerView) -> [UUID] {
        (view == .today ? self.view { $0 == time.day } : self.view { $0 > time.day }).map(\.id)
    }

    // MARK: Statistics

    func counts() -> [Int] {
        tasks.withLock { tasks in
            var counts = [0, 0, 0, 0]
            for task in tasks.values {
                guard let completed = task.completedAt else { continue }
                for (index, range) in time.periods.ranges.enumerated() where range.contains(completed) {
                    counts[index] += 1
                }
            }
            return counts
        }
    }

    func counts(of month: Month) throws -> [Int] {
        let month = try MonthRange(month, zone: time.zone)
        let first = (month.range.lowerBound.microsecondsSince1970 + month.offset) / 86_400_000_000
        return tasks.withLock { tasks in
            var days = [Int](repeating: 0, count: month.dayCount + 1)
            for task in tasks.values {
                guard let completed = task.completedAt else { continue }
                if month.range.contains(completed) {
                    days[Int((completed + month.offset) / 86_400_000_000 - first)] += 1
                } else if month.previous.contains(completed) {
                    days[month.dayCount] += 1
                }
            }
            return days
        }
    }

    // MARK: Writes

    /// Changes the tasks and writes all of them; one change at a time.
    private func change(_ body: (inout [UUID: TaskFields]) throws -> Void) throws {
        try tasks.withLock { tasks in
            try body(&tasks)
            try JSONFile.write(Array(tasks.values), to: path, isDurable: true)
        }
    }

    func create(_ text: String, on day: Day) throws {
        let day = Int(day.daysSince1970)
        try change { tasks in
            let last = tasks.values.lazy.filter { $0.day == day && $0.archivedAt == nil }.map(\.position).max()
            let task = TaskFields(
                id: time.identifiers.make(), text: text, day: day, position: last.map { $0 + Moments.gap } ?? 0,
                now: time.now)
            tasks[task.id] = task
        }
    }

    func setState(_ id: UUID, to state: TaskState) throws {
        try change { $0[id]?.set(state, at: time.now, in: time.zone) }
    }

    func reorder(_ id: UUID, after other: UUID) throws {
        try change { tasks in
            guard let before = tasks[other] else { throw PeerFailure("no such task") }
            let next = tasks.values.lazy.filter {
                $0.day == before.day && $0.position > before.position && $0.id != id && $0.archivedAt == nil
            }.map(\.position).min()
            tasks[id]?.position =
                next.map { before.position + ($0 - before.position) / 2 }
                ?? before.position + Moments.gap
            tasks[id]?.updatedAt = time.now.microsecondsSince1970
        }
    }

    // MARK: Files

    func add(_ added: [TaskItem]) throws {
        try change { tasks in
            for task in added { tasks[task.id] = TaskFields(task) }
        }
    }

    func export(to path: String) throws {
        let all = tasks.withLock { tasks in
            tasks.values.sorted { ($0.day ?? .min, $0.position) < ($1.day ?? .min, $1.position) }
        }
        try JSONFile.write(ExportedTasks(tasks: all), to: path, isDurable: false)
    }
}

extension Range<Instant> {
    /// Returns whether the range contains a moment, in microseconds since 1970.
    fileprivate func contains(_ microseconds: Int64) -> Bool {
        microseconds >= lowerBound.microsecondsSince1970 && microseconds < upperBound.microsecondsSince1970
    }
}

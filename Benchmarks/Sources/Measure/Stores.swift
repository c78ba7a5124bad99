import Daybook
import FoundationEssentials
import Workloads

/// The measured stores, each in a folder below one parent.
struct Stores {
    let folder: String

    /// The end of the histories.
    static let historyEnd = Instant(secondsSince1970: 1_770_739_200)  // 2026-02-10T16:00:00Z
    /// A later day, whose Today contains only the tasks planned here, whatever the store's size.
    static let plannedDay = Instant(secondsSince1970: 1_805_529_600)  // 2027-03-20T08:00:00Z
    /// The number of tasks of that day.
    static let plannedTasks = 50

    static func context(at now: Instant, zone: Zone) -> Context {
        Context(
            clock: SettableClock(now), random: SystemRandomSource(), currentZone: { zone }, weekStart: .monday)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func open(_ name: String, at now: Instant = plannedDay) throws -> DaybookStore {
        try DaybookStore.open(at: path(name), context: Self.context(at: now, zone: try Zone("Europe/Berlin")))
    }

    /// Creates a store with a history of the given size, of which 50 tasks from all over it are planned for one later
    /// day.
    func prepare(_ name: String, taskCount: Int) async throws {
        if FileManager.default.fileExists(atPath: path(name)) {
            print("keeping the store \(path(name))")
            return
        }
        let clock = ContinuousClock()
        let history = try open(name, at: Self.historyEnd)
        let elapsed = try await clock.measure { try await history.generate(taskCount: taskCount, seed: 1) }
        print("generated \(taskCount) tasks in \(elapsed)")
        history.close()
        let daybook = try open(name)
        defer { daybook.close() }
        let ids = try daybook.read { transaction in
            var ids: [UUID] = []
            var number = 0
            try transaction[TaskItem.self].forEach { task in
                if number % (taskCount / Self.plannedTasks) == 0, ids.count < Self.plannedTasks { ids.append(task.id) }
                number += 1
                return true
            }
            return ids
        }
        try await daybook.tasks.write { transaction in
            for (number, id) in ids.enumerated() {
                try transaction.setState(id, to: number % 5 == 0 ? .completed : number % 8 == 1 ? .active : .notStarted)
                try transaction.schedule(id, on: .today)
            }
        }
    }

    /// Returns a byte-for-byte copy of a store's data for plain LMDB.
    func copy(_ name: String, to copy: String) throws {
        try? FileManager.default.removeItem(atPath: path(copy))
        try FileManager.default.createDirectory(atPath: path(copy), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: path(name) + "/data.mdb", toPath: path(copy) + "/data.mdb")
    }

    func remove(_ name: String) throws {
        if FileManager.default.fileExists(atPath: path(name)) { try FileManager.default.removeItem(atPath: path(name)) }
    }
}

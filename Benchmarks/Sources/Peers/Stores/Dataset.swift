import Daybook
import FoundationEssentials
import Workloads

/// The same tasks in a store of each peer: a history, of which 50 tasks are planned for one later day, and one long
/// list.
struct Dataset {
    let folder: String
    let taskCount: Int

    enum RecordStore: String {
        case daybook, grdb, sqlite, json
    }

    func path(_ store: RecordStore) -> String { "\(folder)/\(store.rawValue)" }

    /// Creates the stores: Daybook's first, the others from its content.
    func prepare(_ stores: [RecordStore]) async throws {
        try await generate()
        try await plan()
        let daybook = try DaybookPeer(folder: path(.daybook), now: Moments.planned)
        defer { daybook.close() }
        // The two on SQLite have the same table, so the file is created once.
        if stores.contains(.sqlite) || stores.contains(.grdb) {
            try fillSQLite(from: daybook)
        }
        if stores.contains(.grdb) {
            try Folder.copy(path(.sqlite), to: path(.grdb))
        }
        if stores.contains(.json) {
            try FileManager.default.createDirectory(atPath: path(.json), withIntermediateDirectories: true)
            try JSONFile.write(
                daybook.allTasks().map(TaskFields.init), to: JSONPeer.path(path(.json)), isDurable: true)
        }
    }

    /// Creates Daybook's store with the history alone, like `daybook generate`.
    func generate() async throws {
        try Folder.make(folder)
        let history = try DaybookPeer(folder: path(.daybook), now: Moments.historyEnd)
        try await history.daybook.generate(taskCount: taskCount, seed: 1)
        history.close()
    }

    /// The fifty tasks and the long list.
    private func plan() async throws {
        let peer = try DaybookPeer(folder: path(.daybook), now: Moments.planned)
        defer { peer.close() }
        let ids = try peer.spreadIDs(count: Moments.plannedTasks, of: taskCount)
        try await peer.daybook.tasks.write { transaction in
            for (number, id) in ids.enumerated() {
                try transaction.setState(id, to: number % 5 == 0 ? .completed : number % 8 == 1 ? .active : .notStarted)
                try transaction.schedule(id, on: .today)
            }
        }
        let day = try Moments.listDay()
        _ = try await peer.daybook.tasks.create(
            (0..<Moments.listTasks).map { NewTask("Step \($0 + 1000) of the long list that is put in order", on: day) })
    }

    /// Inserts a thousand tasks a transaction, in the order of the ids, with all indexes in place, as in practice.
    func fillSQLite(from daybook: DaybookPeer) throws {
        let sqlite = try SQLitePeer(folder: path(.sqlite), now: Moments.planned)
        defer { sqlite.close() }
        var count = 0
        try sqlite.begin()
        try daybook.daybook.read { transaction in
            try transaction[TaskItem.self].forEach { task in
                try sqlite.insert(task)
                count += 1
                if count % 1000 == 0 {
                    try sqlite.commit()
                    try sqlite.begin()
                }
                return true
            }
        }
        try sqlite.commit()
    }
}

extension DaybookPeer {
    /// Every task, in the order of the ids.
    func allTasks(limit: Int = .max) throws -> [TaskItem] {
        try daybook.read { transaction in
            var tasks: [TaskItem] = []
            try transaction[TaskItem.self].forEach { task in
                tasks.append(task)
                return tasks.count < limit
            }
            return tasks
        }
    }

    /// Returns the ids of the given number of tasks, spread evenly over the store.
    func spreadIDs(count: Int, of taskCount: Int) throws -> [UUID] {
        try daybook.read { transaction in
            var ids: [UUID] = []
            var number = 0
            try transaction[TaskItem.self].forEach { task in
                if number % (taskCount / count) == 0, ids.count < count { ids.append(task.id) }
                number += 1
                return true
            }
            return ids
        }
    }

    /// The ids of the long list, in order.
    func listIDs() throws -> [UUID] {
        let day = try Moments.listDay()
        return try daybook.tasks.upcoming().first { $0.day == day }?.tasks.map(\.id) ?? []
    }
}

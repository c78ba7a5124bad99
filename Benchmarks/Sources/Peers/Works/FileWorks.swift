import Daybook
import FoundationEssentials

/// Import and export.
struct FileWorks: Works {
    let setup: Setup

    /// The rounds of imports of the large store, which take half a minute each.
    private static let largeRounds = 3

    func run(into report: inout Report) async throws {
        try await imports(of: medium, into: &report)
        try await imports(of: large, into: &report)
        try await exports(into: &report)
    }

    private func imports(of dataset: Dataset, into report: inout Report) async throws {
        let isLarge = dataset.taskCount == large.taskCount
        let tasks = try tasks(of: dataset)
        report.begin(
            "Import of \(tasks.count.grouped) tasks into an empty store",
            "The tasks are in memory. Daybook by `import`, which indexes their words as well, GRDB and SQLite in one "
                + "transaction, GRDB also with an FTS5 index of the words"
                + (isLarge ? "." : ", the JSON file by one writing."))
        let path = "\(folder)/imported"
        var peers: [(String, any Peer.Type)] = [
            (Contestants.daybook, DaybookPeer.self), (Contestants.grdb, GRDBPeer.self),
            (Contestants.sqlite, SQLitePeer.self),
        ]
        if !isLarge { peers.append((Contestants.json, JSONPeer.self)) }
        var contestants = peers.map { name, type in
            var peer: (any Peer)?
            return Contestant(
                name: name,
                before: { _ in
                    try Folder.remove(path)
                    peer = try type.init(folder: path, now: Moments.planned)
                }, run: { _ in try await peer?.add(tasks) },
                after: {
                    try peer?.close()
                    peer = nil
                })
        }
        contestants.append(indexingGRDB(of: tasks, at: path))
        if !isLarge { contestants.append(try await floor(of: tasks, at: path)) }
        let rounds = isLarge ? min(Self.largeRounds, scale.long) : scale.long
        let times = try await Interleaved.run(contestants, rounds: rounds, warmUp: 1, rest: DiskRest(besides: folder))
        report.add("import, durable", times)
        let what = "import of \(tasks.count.grouped) tasks"
        report.require(what, fasterThan: Contestants.grdb, times: 2, in: times)
        report.compare(what, fasterThan: Contestants.words, because: "reported", in: times)
        if !isLarge { report.require(what, atMost: 1.3, timesOf: Contestants.sqlite, in: times) }
        try Folder.remove(path)
        try Folder.remove("\(folder)/empty")
    }

    /// GRDB that keeps an index of words, as Daybook does.
    private func indexingGRDB(of tasks: [TaskItem], at path: String) -> Contestant {
        var peer: GRDBPeer?
        return Contestant(
            name: Contestants.words,
            before: { _ in
                try Folder.remove(path)
                peer = try GRDBPeer(folder: path, now: Moments.planned)
                try peer?.indexWords()
            }, run: { _ in try await peer?.add(tasks) },
            after: {
                try peer?.close()
                peer = nil
            })
    }

    /// Plain LMDB, which gets everything that Daybook's import writes in one transaction.
    private func floor(of tasks: [TaskItem], at path: String) async throws -> Contestant {
        let recorded = try await recordImport(of: tasks)
        let folder = folder
        var floor: LMDBFloor?
        return Contestant(
            name: Contestants.lmdb,
            before: { _ in
                try Folder.copy("\(folder)/empty", to: path)
                floor = try LMDBFloor(folder: path, readOnly: false)
            }, run: { _ in try floor?.apply(recorded) }, after: { floor = nil })
    }

    private func tasks(of dataset: Dataset) throws -> [TaskItem] {
        let peer = try DaybookPeer(folder: dataset.path(.daybook), now: Moments.planned)
        defer { peer.close() }
        return try peer.allTasks(limit: dataset.taskCount)
    }

    /// Returns everything that an import writes: plain LMDB gets it in one transaction, sorted by key.
    private func recordImport(of tasks: [TaskItem]) async throws -> RecordedChanges {
        let path = "\(folder)/recorded"
        let empty = try DaybookPeer(folder: "\(folder)/empty", now: Moments.planned)
        empty.close()
        try Folder.copy("\(folder)/empty", to: path)
        let peer = try DaybookPeer(folder: path, now: Moments.planned)
        try await peer.add(tasks)
        peer.close()
        let changes = try LMDBFloor(folder: "\(folder)/empty", readOnly: true)
            .changes(from: LMDBFloor(folder: path, readOnly: true))
        try Folder.remove(path)
        return changes
    }

    private func exports(into report: inout Report) async throws {
        report.begin(
            "Export of \(medium.taskCount.grouped) tasks to a JSON file",
            "Not flushed. GRDB's and the JSON file's by Foundation's JSONEncoder, SQLite's by its own JSON functions.")
        let arena = try Arena(medium, now: Moments.planned, json: true)
        let path = "\(folder)/export.json"
        let times = try await Interleaved.run(
            arena.contestants { peer, _ in try peer.export(to: path) }, rounds: scale.long, warmUp: 1)
        report.add("export", times)
        try FileManager.default.removeItem(atPath: path)
        try arena.close()
    }
}

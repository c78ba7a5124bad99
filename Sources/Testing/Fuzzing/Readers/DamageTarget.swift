import CivilTime
import Daybook
import DomainPacks
import Exchange
import FoundationEssentials
import LabSupport
import Records
import Tasks

/// Damaged stores of tasks, as a program uses them: opened, seen in every view, exported, verified, changed, and salvaged.
struct DamageTarget: FuzzTarget {
    private let file: FileDamage
    private let folder: String
    private let manifest: [UInt8]
    /// Every task as it ever was. Whatever is read must be one of them.
    private let known: Set<TaskItem>
    /// Tasks to delete, and words to search for.
    private let identifiers: [UUID]
    private let searched: [String]

    private let path: String

    init(seed: UInt64, in folder: String) async throws {
        self.folder = folder
        path = "\(folder)/damaged"
        var (files, known, manifest) = ([[UInt8]](), Set<TaskItem>(), [UInt8]())
        for part in 0..<3 as Range<UInt64> {
            var operations = 0
            _ = try await StoreRecords.made(
                by: TaskPack.self, seed: seed &+ part &* 7919, in: folder,
                afterEach: { daybook in
                    try daybook.read { try $0.tasks.forEach { task, _ in known.insert(task) } }
                    operations += 1
                    // Nothing writes now.
                    guard operations % 12 == 0 else { return }
                    files.append(Array(try Data(contentsOf: URL(filePath: "\(daybook.path)/data.mdb"))))
                },
                atEnd: { path in
                    files.append(Array(try Data(contentsOf: URL(filePath: "\(path)/data.mdb"))))
                    manifest = Array(try Data(contentsOf: URL(filePath: "\(path)/store.json")))
                })
        }
        // With branches above the leaves.
        for count in [60, 150] {
            let daybook = try DaybookStore.open(at: path, context: StoreRecords.context(seed))
            var documents = SeedDocuments(random: SeededGenerator(seed: seed))
            var tasks = TaskImport()
            tasks.tasks = documents.tasks(count)
            _ = try await daybook.files.import(tasks)
            for number in 0..<8 {
                _ = try await daybook.write { try $0.tasks.create(NewTask("another task \(number)")) }
            }
            try daybook.read { try $0.tasks.forEach { task, _ in known.insert(task) } }
            daybook.close()
            files.append(Array(try Data(contentsOf: URL(filePath: "\(path)/data.mdb"))))
            try FileManager.default.removeItem(atPath: path)
        }
        file = FileDamage(corpus: files)
        (self.known, self.manifest) = (known, manifest)
        identifiers = Set(known.map(\.id)).sorted { $0.uuidString < $1.uuidString }
        searched = Set(known.compactMap { $0.text.split(separator: " ").first.map(String.init) }).sorted()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FuzzFile.write(manifest, to: "\(path)/store.json")
    }

    func input(_ random: inout SeededGenerator) -> [UInt8] { file.damaged(&random) }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        try? FileManager.default.removeItem(atPath: "\(path)/lock.mdb")
        try FuzzFile.write(input, to: "\(path)/data.mdb")
        let context = StoreRecords.context(random.next())
        let options = StoreOptions(isReadOnly: random.oneIn(4), createIfMissing: false, retries: .none)
        var refusals: [String] = []
        func attempt(_ body: () throws -> Void) throws {
            if case .refused(let kind) = try judge(quoting: [], body) { refusals.append(kind) }
        }
        try attempt {
            let daybook = try DaybookStore.open(at: path, context: context, options: options)
            defer { daybook.close() }
            for number in 0..<Self.viewCount { try attempt { try view(number, of: daybook, &random) } }
            try attempt {
                try daybook.files.export(as: random.pick(TaskFormat.allCases)) { _ in }
            }
            try attempt { if try !daybook.verify().isClean { refusals.append("verify") } }
            guard !options.isReadOnly else { return }
            let isSound = refusals.isEmpty
            try change(daybook, &random, attempt)
            for number in 0..<2 { try attempt { try view(number, of: daybook, &random, checksTasks: false) } }
            if isSound, let problem = try daybook.verify().problems.first {
                throw Finding("store", "valid before it was written to: \(problem)")
            }
        }
        if !options.isReadOnly, random.oneIn(4) {
            try attempt {
                let store = try RecordStore(
                    at: path, schema: DaybookStore.schema, context: context, options: options)
                defer { store.close() }
                _ = try store.rebuild()
                if let problem = try store.verify().problems.first { throw Finding("store", "rebuilt: \(problem)") }
            }
        }
        try attempt {
            let target = "\(folder)/salvaged"
            defer { try? FileManager.default.removeItem(atPath: target) }
            _ = try RecordStore.salvage(path, to: target, schema: DaybookStore.schema, context: context)
        }
        return refusals.first.map { .refused($0) } ?? .accepted
    }

    // MARK: Views

    private static let viewCount = 9

    private func view(
        _ number: Int, of daybook: DaybookStore, _ random: inout SeededGenerator, checksTasks: Bool = true
    ) throws {
        let found = try daybook.read { transaction in
            let tasks = transaction.tasks
            var found: [TaskItem] = []
            switch number {
            case 0: found = try tasks.inbox()
            case 1: try tasks.forEach { task, _ in found.append(task) }
            case 2: found = try tasks.upcoming().flatMap(\.tasks)
            case 3: found = try tasks.past()
            case 4: found = try tasks.dueReminders()
            case 5:
                found = try tasks.created(in: Instant(secondsSince1970: 0)..<Instant(secondsSince1970: 4_000_000_000))
            case 6: found = try tasks.search(random.pick(searched), limit: 50).records
            case 7:
                _ = try tasks.statistics()
                try tasks.forEachTombstone { _ in }
            default: _ = try tasks.today()
            }
            return found
        }
        guard checksTasks, let wrong = found.first(where: { !known.contains($0) }) else { return }
        throw Finding("difference", "view \(number) has a task that was never so: \(wrong.id)")
    }

    // MARK: Changes

    private func change(
        _ daybook: DaybookStore, _ random: inout SeededGenerator, _ attempt: (() throws -> Void) throws -> Void
    ) throws {
        var added: TaskItem?
        try attempt {
            added = try daybook.write { try $0.tasks.create(NewTask("an added task")) }
        }
        if let added {
            try attempt {
                guard try daybook.read({ try $0.tasks.get(added.id) }) == added else {
                    throw Finding("difference", "an added task is not there")
                }
            }
        }
        let id = random.pick(identifiers)
        try attempt { _ = try daybook.write { try $0.tasks.delete(id) } }
        for _ in 0..<random.below(4) { try attempt { _ = try daybook.write { try $0.undo() } } }
    }
}

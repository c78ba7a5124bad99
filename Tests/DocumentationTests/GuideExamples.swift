import Daybook
import Foundation
import Simulation
import Testing

/// The examples of Documentation/Backup.md, Documentation/Testing.md, and the domain of Documentation/CrashTesting.md.
@Suite struct GuideExamples {
    let temporary = TemporaryFolder()

    @Test("Full, incremental and encrypted snapshots, a restore, and pruning")
    func backup() async throws {
        let store = try temporary.store()
        try await store.tasks.create("Pack")
        let (backups, restored) = (temporary.url("backups"), temporary.url("restored"))
        try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: false)

        let full = backups.appending(path: "full.snapshot")
        try await store.files.snapshot(to: full)

        var options = SnapshotOptions(since: full)  // incremental: only what changed since
        options.passphrase = Passphrase(Array("a long sentence".utf8))  // scrypt, then AES-256-GCM in chunks
        let incremental = backups.appending(path: "incremental.snapshot")
        try await store.files.snapshot(to: incremental, options: options)

        let summary = try StoreFiles.verify(full)  // reads every byte and record
        try await StoreFiles.restore(full, to: restored)  // creates a new store

        let pruning = try StoreFiles.prune(backups, keeping: SnapshotRetention(days: 7, weeks: 4, months: 12))
        for problem in pruning.unverified { print(problem) }  // stays: damaged, or no passphrase opens it

        #expect(!summary.isEncrypted)
        #expect(try DaybookStore.open(at: restored).tasks.inbox().map(\.text) == ["Pack"])
    }

    @Test("A live view in a simulated world follows a task through midnight")
    func simulatedWorld() throws {
        let folder = temporary.file("store")
        let world = try SimulatedWorld(at: "2026-07-01 23:00", zone: "Europe/Berlin", seed: 7)
        try world.run {
            let store = try DaybookStore.open(at: folder, context: world.context)
            let today = world.follow(store.tasks.changes(in: .today))  // a live view or a change feed
            #expect(try await today.next().tasks.isEmpty)
            try await store.tasks.create("Open the vents", in: .today)
            #expect(try await today.next().tasks.count == 1)
            try await world.advance(to: "midnight")
            #expect(try await today.next().tasks.isEmpty)
        }
    }

    @Test("A repository in memory passes the checks of all repositories")
    func repository() async throws {
        let home = UUID()
        let tasks = MemoryTaskRepository(lists: [home])
        let milk = try await tasks.createTask("Buy milk", in: home)
        _ = try await tasks.completeTask(milk.id)
        #expect(await tasks.fetchTasks(in: home).map(\.isCompleted) == [true])
        try await TaskRepositoryConformance(lists: [home]).check(MemoryTaskRepository(lists: [home]))
    }
}

struct ReadingPack: DomainPack {
    var celsius: [Double] = []  // the plain model

    static let records = Schema().adding(Reading.collection)

    static let operations = [
        DomainOperation<Self>("measure") { model, draw in
            let celsius = Double(20 + draw.below(10))
            guard !model.celsius.contains(celsius) else { return nil }  // nothing to do in this state
            return DomainChange {
                $0.celsius.append(celsius)  // what it changes in the model
            } transaction: {
                let (id, now) = ($0.identifiers.next(), $0.context.clock.wall)  // and what it does in a store
                try $0.put(Reading(id: id, sensor: "roof", takenAt: now, celsius: celsius))
            }
        }
    ]

    var lines: [String] { celsius.sorted().map { "\($0)" } }  // what is compared: the model's side

    static func lines(in transaction: ReadTransaction) throws -> [String] {
        try transaction[Reading.byTime].range().map(\.celsius).sorted().map { "\($0)" }  // and the store's
    }

    static func problems(in transaction: ReadTransaction) throws -> [String] {
        let count = try transaction[Reading.perDay].count(on: transaction.context.today, in: .utc)
        return count <= 10 ? [] : ["there are \(count) readings"]  // a broken invariant
    }
}

/// Random scenarios of the domain of Documentation/CrashTesting.md, as in Documentation/Testing.md.
@Suite struct DomainExamples {
    @Test("A random scenario of a domain equals its model at every step")
    func random() throws {
        let simulator = Simulator(vocabulary: Vocabulary(of: ReadingPack.self))
        let story = try simulator.playRandom(seed: 7, steps: 500).story
        #expect(story.isGood)
    }
}

extension Vocabulary {
    static let greenhouse: Vocabulary = {
        var words = Vocabulary(records: Schema().adding(Reading.collection))
        words.add(verb: "measure") { value, store in
            let (sensor, celsius) = (try value.text("sensor"), try value.number("celsius", as: Double.self))
            try await store.write { transaction in
                try transaction.put(
                    Reading(
                        id: transaction.identifiers.next(), sensor: sensor,
                        takenAt: transaction.context.clock.wall, celsius: celsius))
            }
        }
        words.add(subject: "readings today") { _, store in
            .number(try store.read { try $0[Reading.perDay].count(on: $0.context.today, in: $0.context.zone) })
        }
        return words
    }()
}

/// The scenario of Documentation/Testing.md.
@Suite struct ScenarioExamples {
    /// A folder with the page's YAML as its one file.
    static let scenarios = ScenarioFolder().path

    @Test(arguments: try ScenarioReader(vocabulary: .greenhouse).read(folder: scenarios))
    func plays(scenario: Scenario) throws {
        let story = try Simulator(vocabulary: .greenhouse).play(scenario)
        #expect(story.isGood)  // a failure prints the file, the line, the last steps, expected and actual values
    }
}

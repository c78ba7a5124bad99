import CrashTesting
import Daybook
import Testing

@testable import Greenhouse

/// What a power failure can leave of the greenhouse. Serialized, since a process can record one test at a time.
@Suite(.serialized) struct ReadingCrashTests {
    @Test("Whatever the greenhouse does, a crash loses nothing that was acknowledged and leaves nothing half done")
    func everySequence() async throws {
        let report = try await DomainCrashTest(of: GreenhousePack.self).run()
        #expect(report.violations == [])
        #expect(report.workloads > 30 && report.imagesOpened > 100)
    }

    @Test("An invariant that is kept over two transactions is found, with a reproducer and a short sequence")
    func plantedMistake() async throws {
        var test = DomainCrashTest(of: MistakenPack.self)
        // The mistake needs a hot day, which only long sequences have; undo would take back half of it without a crash.
        test.includesUndo = false
        let violations = try await test.run().violations
        let first = try #require(violations.first)
        #expect(first.problem.hasPrefix("it was too hot, but there is no task"))
        let shorter = try #require(violations.dropFirst().first)
        #expect(shorter.reproducer.prefix { $0 != "|" }.split(separator: ",").count == 1)
        // The reproducer shows the same again, alone.
        test.replaying = shorter.reproducer
        let again = try await test.run()
        #expect(again.imagesOpened == 1)
        #expect(again.violations.map(\.problem) == [shorter.problem])
    }

    // MARK: Steps of one's own

    /// What the tests compare: the readings in order of time, and the tasks of today.
    struct Content: Equatable {
        var readings: [Double]
        var tasks: [String]
    }

    /// With a fixed clock and random source, so that every run makes the same calls.
    private static func open(at path: String) throws -> DaybookStore {
        let context = Context(
            clock: SettableClock(Instant(secondsSince1970: 1_782_914_400)), random: SeededRandomSource(seed: 1),
            currentZone: { .utc }, weekStart: .monday)
        return try DaybookStore.open(at: path, context: context, records: Readings.schema)
    }

    private static func content(of store: DaybookStore) throws -> Content {
        Content(
            readings: try Readings(store: store).all(on: store.context.today).map(\.celsius),
            tasks: try store.tasks.today().tasks.map(\.text))
    }

    @Test("A reading and its task survive every crash together, once measured")
    func measuring() async throws {
        var test = CrashTest(opening: Self.open, reading: Self.content)
        test.prepare = { try await Readings(store: $0).measure(18, by: "north bench") }
        test.invariant = { store in
            let content = try Self.content(of: store)
            guard content.readings.contains(where: { $0 > 35 }) == content.tasks.contains("Open the vents") else {
                throw BrokenInvariant()
            }
        }
        let report = try await test.run([
            { try await Readings(store: $0).measure(21.5, by: "north bench") },
            { try await Readings(store: $0).measure(36, by: "south bench") },
        ])
        #expect(report.violations == [])
        #expect(report.imagesOpened > 2)
    }

    @Test("Two transactions instead of one are found out")
    func twoTransactions() async throws {
        let report = try await CrashTest(opening: Self.open, reading: Self.content).run([
            { store in
                try await Readings(store: store).measure(30, by: "south bench")
                try await store.tasks.create("Open the vents", on: store.context.today)
            }
        ])
        #expect(report.violations.contains { $0.problem.hasPrefix("the content is that of no step") })
    }

    struct BrokenInvariant: Error {}
}

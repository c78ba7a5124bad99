import CrashTesting
import Daybook
import Foundation
import Injection
import KeyValue
import Simulation
import TestSupport
import Testing

extension WithDiskLog {
    /// The files in `Simulations/` that need a failing machine.
    @Suite struct FailingMachineStoriesTests {
        static let folder = URL(filePath: #filePath).appending(path: "../../../../Simulations").standardized

        static func scenario(_ name: String) throws -> Scenario {
            try ScenarioReader(vocabulary: .journals).read(file: folder.appending(path: name).path)
        }

        static var files: [String] {
            let names = FileManager.default.subpaths(atPath: folder.path) ?? []
            return names.filter { $0.hasSuffix(".yaml") && (try? scenario($0))?.needsFailingMachine == true }
                .sorted()
        }

        @Test("A scenario passes and is deterministic", arguments: files)
        func plays(name: String) throws {
            let scenario = try Self.scenario(name)
            let story = try Simulator(machine: RecordedMachine(), vocabulary: .journals).play(scenario)
            let failure = story.failure.map { wrong in
                "\(name):\(wrong.line ?? 0): \(wrong.subject)\nexpected: \(wrong.expected)\nfound:    \(wrong.found)"
            }
            #expect(failure == nil)
            #expect(
                try Simulator(machine: RecordedMachine(), vocabulary: .journals).play(scenario).digest == story.digest)
        }

        /// Everything acknowledged before a crash must be present, according to the model.
        @Test(
            "A store that breaks its promise loses acknowledged data in a power failure [S-15]",
            arguments: [InjectionPoint.neverFlushes, .acknowledgesBeforeFlush])
        func findsLoss(injectionPoint: InjectionPoint) throws {
            var scenario = Scenario(
                name: "Loss", start: .local(try Day("2026-03-10"), microseconds: 0), zone: "UTC")
            scenario.steps = (0..<8).flatMap { number in
                [
                    Step(.create("task \(number)", on: .today, in: nil)),
                    Step(.crash(.power, during: nil, choice: UInt64(number))),
                ]
            }
            var simulator = Simulator(machine: RecordedMachine())
            #expect(try simulator.play(scenario).isGood)
            simulator.options.injectionPoint = ArmedInjectionPoints(injectionPoint)
            #expect(try !simulator.play(scenario).isGood)
        }

        @Test("There are scenarios for each way in which a machine fails")
        func coverage() throws {
            let steps = try Self.files.flatMap { try Self.scenario($0).steps }
            let kinds = steps.compactMap { step -> String? in
                switch step.action {
                case .crash(let crash, let during, _): "\(crash)\(during == nil ? "" : " during")"
                case .fault(let fault, _): "\(fault)"
                case .elsewhere: "elsewhere"
                default: nil
                }
            }
            let wanted = ["process", "process during", "power", "power during", "fullDisk", "busy", "elsewhere"]
            #expect(Set(kinds) == Set(wanted))
        }
    }
}

extension WithDiskLog {
    /// Crashes within a program's own verbs.
    @Suite struct OwnVerbTests {
        private struct Note: Record {
            let id: UUID

            static var collection: RecordCollection<Note> { RecordCollection<Note>("notes") {} }

            init(id: UUID) {
                self.id = id
            }

            init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
                self.id = id
            }

            func encode(into fields: inout FieldEncoder) {}
        }

        private static let vocabulary: Vocabulary = {
            var words = Vocabulary(records: Schema().adding(Note.collection))
            words.add(verb: "note") { count, daybook in
                for _ in 0..<(try count.number(as: Int.self)) {
                    try await daybook.write { try $0.put(Note(id: $0.identifiers.next())) }
                }
            }
            words.add(subject: "notes") { _, daybook in
                .number(try daybook.read { try $0[Note.self].count() })
            }
            return words
        }()

        /// Returns the outcome of each choice of a crash within a verb.
        private func outcomes(_ crash: Crash, duringNotes count: Int) throws -> [String] {
            let simulator = Simulator(machine: RecordedMachine(), vocabulary: Self.vocabulary)
            return try TestBudget.range(10, long: 24).map { choice in
                let story = try simulator.play(
                    try ScenarioReader(vocabulary: Self.vocabulary).read(
                        """
                        name: A crash within a verb
                        starts: 2026-03-10 12:00
                        zone: UTC
                        steps:
                          - create: A
                          - note: 1
                          - { crash: \(crash.rawValue), during: { note: \(count) }, choice: \(choice) }
                          - create: B
                          - expect: { inbox: [A, B] }
                        """, file: "notes.yaml"))
                #expect(story.isGood)
                return story.events.dropFirst(2).first?.outcome ?? ""
            }
        }

        @Test("A crash leaves one write complete or absent, and the tasks unchanged", arguments: Crash.allCases)
        func single(crash: Crash) throws {
            let outcomes = try outcomes(crash, duringNotes: 1)
            #expect(outcomes.contains { $0.hasSuffix("change present") })
            #expect(outcomes.contains { $0.hasSuffix("change absent") })
        }

        @Test("A crash may leave any number of several writes", arguments: Crash.allCases)
        func several(crash: Crash) throws {
            #expect(Set(try outcomes(crash, duringNotes: 3)).count > 3)
        }
    }
}

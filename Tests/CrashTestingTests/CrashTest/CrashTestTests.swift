import Daybook
import DiskImages
import DiskRecording
import Foundation
import Injection
import KeyValue
import TestSupport
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// The public crash test, with a record type and faults that are defined here.
    @Suite struct CrashTestTests {
        private struct Note: Record {
            let id: UUID
            var number: Int64

            static let collection = RecordCollection<Note>("notes") { byNumber }
            static let byNumber = Index<Note, Int64>("byNumber") { $0.number }

            init(id: UUID, number: Int64) {
                self.id = id
                self.number = number
            }

            init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
                self.id = id
                number = try fields.int64(1)
            }

            func encode(into fields: inout FieldEncoder) { fields.put(1, number) }
        }

        private typealias Test = CrashTest<[Int64]>

        private func test(_ injectionPoint: InjectionPoint? = nil) -> Test {
            Test { path in
                try Self.open(at: path, injectionPoint)
            } reading: { store in
                try Self.numbers(in: store)
            }
        }

        @Sendable private static func open(
            at path: String, _ injectionPoint: InjectionPoint? = nil
        ) throws -> DaybookStore {
            var options = StoreOptions()
            options.injectionPoint = ArmedInjectionPoints(injectionPoint)
            return try DaybookStore.open(
                at: path, context: .counted(), records: Schema().adding(Note.collection), options: options)
        }

        @Sendable private static func numbers(in store: DaybookStore) throws -> [Int64] {
            try store.read { try $0[Note.byNumber].range(from: 0, to: 100).map(\.number) }
        }

        private static func adding(_ numbers: Int64...) -> Test.Step {
            { store in
                try await store.write { transaction in
                    for number in numbers {
                        try transaction.put(Note(id: transaction.identifiers.next(), number: number))
                    }
                }
            }
        }

        @Test("Every crash image of a store that keeps its promises passes")
        func promisesKept() async throws {
            var test = test()
            test.prepare = Self.adding(9)
            test.invariant = { store in
                // Both notes of the second step are in one transaction.
                let numbers = try Self.numbers(in: store)
                if numbers.contains(2) != numbers.contains(3) { throw BrokenPromise("half of a step") }
            }
            let report = try await test.run([Self.adding(1), Self.adding(2, 3)])
            #expect(report.violations == [])
            #expect(report.crashPoints > 10)
            #expect(report.imagesOpened > 2 && report.imagesOpened < report.imagesBuilt)
        }

        @Test("Without a flush of the meta page a step is lost, and the reproducer repeats it")
        func lostStep() async throws {
            var test = test(.neverFlushesMeta)
            let steps = [Self.adding(1), Self.adding(2)]
            let violations = try await test.run(steps).violations
            let lost = try #require(violations.first { $0.problem.contains("had returned") })
            #expect(lost.details.contains { $0.contains("<- the crash") })
            test.replaying = lost.reproducer
            let again = try await test.run(steps)
            #expect(again.imagesBuilt == 1)
            // In one line, which reports of failures show.
            let difference = again.violations.first.map { "\($0.details.difference(from: lost.details))" } ?? ""
            #expect(again.violations.map(\.problem) == [lost.problem], "\(difference)")
            test.replaying = "9999+|keep=none|absent"
            await #expect(throws: CrashLabError.invalidReproducer("9999+|keep=none|absent")) {
                try await test.run(steps)
            }
        }

        @Test("Two recordings of the same steps have the same calls, whatever other threads open and start meanwhile")
        func sameCalls() async throws {
            let store = try Self.open(at: TemporaryFolder().file("beside"))
            defer { store.close() }
            let other = Task.detached {
                for number in 0..<200 where !Task.isCancelled {
                    try await Self.adding(Int64(number))(store)
                    try Process.run(URL(filePath: "/bin/true"), arguments: []).waitUntilExit()
                }
            }
            var first: [String] = []
            for _ in 0..<20 {
                let scratch = try ScratchFolder()
                let folder = "\(scratch.path)/recorded"
                try FolderFiles.replace(folder, with: DiskImage())
                let test = test(.neverFlushesMeta)
                try test.open(test.path(in: folder)).close()
                let start = try FolderFiles.image(of: folder) { $0 != LockFile.fileName }
                let (run, _) = try await test.record([Self.adding(1), Self.adding(2)], in: folder, from: start)
                let lines = run.recording.entries.map { entry in
                    switch entry {
                    case .mark(let kind, let value, _): "mark \(kind) \(value)"
                    case .call(let call): "\(call.kind) \(call.path) \(call.offset) \(call.length) \(call.error)"
                    }
                }
                if first.isEmpty { first = lines }
                let difference = lines.difference(from: first)
                #expect(difference.isEmpty)
            }
            other.cancel()
            _ = await other.result
        }

        @Test("A step of two transactions is reported, since a crash may leave half of it")
        func halfStep() async throws {
            let report = try await test().run([
                { store in
                    try await Self.adding(1)(store)
                    try await Self.adding(2)(store)
                }
            ])
            #expect(report.violations.contains { $0.problem == "the content is that of no step: [1]" })
        }

        @Test("A broken invariant is reported")
        func invariant() async throws {
            var test = test()
            test.invariant = { store in
                if try Self.numbers(in: store).contains(2) { throw BrokenPromise("2 is not allowed") }
            }
            let report = try await test.run([Self.adding(1), Self.adding(2)])
            #expect(report.violations.contains { $0.problem == "2 is not allowed" })
        }

        @Test("An error of a step without a crash is rethrown, and the recorder is free afterwards")
        func failingStep() async throws {
            struct Failure: Error {}
            await #expect(throws: Failure.self) { try await test().run([{ _ in throw Failure() }]) }
            #expect(try await test().run([Self.adding(1)]).violations == [])
        }
    }
}

import Daybook
import DomainPacks
import FormerVersions
import Foundation
import Testing
import Threading

@testable import CrashTesting

extension WithDiskLog {
    /// Crashes while a golden store of a former version of journals is opened for the first time.
    @Suite struct JournalMigrationTests {
        private typealias Test = CrashTest<[String]>

        private static func golden(_ version: FormerJournal) -> String {
            URL(filePath: #filePath).appending(path: "../../../Fixtures/Journals/\(version.rawValue)").standardized.path
        }

        /// What the former version reads in its store.
        private static func lines(_ version: FormerJournal, at path: String, isReadOnly: Bool) throws -> [String] {
            let store = try version.open(at: path, options: StoreOptions(isReadOnly: isReadOnly))
            defer { store.close() }
            return try version.lines(of: store)
        }

        private static func goldenLines(_ version: FormerJournal) throws -> [String] {
            let folder = try LabFolder()
            let path = "\(folder.path)/golden"
            try FileManager.default.copyItem(atPath: golden(version), toPath: path)
            return try lines(version, at: path, isReadOnly: false)
        }

        /// A test that opens stores with journals.
        ///
        /// - Parameter more: What the program does at each opening after that, as an injected fault.
        private static func test(
            expecting old: [String], more: @escaping @Sendable (DaybookStore) throws -> Void = { _ in }
        ) -> Test {
            var test = Test { path in
                let store = try DaybookStore.open(at: path, context: .counted())
                try more(store)
                return store
            } reading: { store in
                try store.read { try JournalLines.all(in: $0) }
            }
            test.invariant = { store in
                let records = try store.read { try JournalLines.records(in: $0) }
                if records != old { throw BrokenPromise("the records differ: \(Difference.between(old, records))") }
            }
            return test
        }

        /// Which versions of stores the images were.
        private final class Seen: Sendable {
            let old = ForkSafeMutex(0)
            let new = ForkSafeMutex(0)

            /// Checks that a store which is only read is the old one, or today's with everything in it; and that the former
            /// version can read it, since a migration only adds.
            func inspect(_ path: String, _ version: FormerJournal, _ lines: [String]) throws {
                guard try JournalMigrationTests.lines(version, at: path, isReadOnly: true) == lines else {
                    throw BrokenPromise("the former version does not find its records")
                }
                do {
                    let store = try DaybookStore.open(
                        at: path, context: .counted(), options: StoreOptions(isReadOnly: true))
                    defer { store.close() }
                    guard try store.read({ try JournalLines.all(in: $0).starts(with: lines) }) else {
                        throw BrokenPromise("the store looks migrated and is not complete")
                    }
                    new.withLock { $0 += 1 }
                } catch RecordsError.engine(.tableMissing) {
                    old.withLock { $0 += 1 }
                }
            }
        }

        @Test(
            "A crash anywhere in the first opening of an older journal leaves the old store or the new one, complete, and the next opening finishes [J-MG1, J-MG2, J-MG3, J-MG4]",
            arguments: FormerJournal.allCases)
        func crash(version: FormerJournal) async throws {
            let old = try Self.goldenLines(version)
            let seen = Seen()
            let report = try await Self.test(expecting: old).run(migrating: Self.golden(version)) {
                try seen.inspect($0, version, old)
            }
            #expect(report.violations == [])
            #expect(report.crashPoints > 10)
            #expect(report.imagesOpened >= 5 && report.imagesOpened < report.imagesBuilt)
            #expect(seen.old.withLock { $0 } > 0 && seen.new.withLock { $0 } > 0)
        }

        @Test(
            "A migration that writes a record again in two transactions is detected, and the reproducer repeats it (negative control) [J-MG1]"
        )
        func twoTransactions() async throws {
            let id = FormerJournal.id(12)
            var test = Self.test(expecting: try Self.goldenLines(.version10)) { store in
                guard let entry = try store.read({ try $0[JournalEntry.self].get(id) }) else { return }
                try store.write { _ = try $0.delete(JournalEntry.self, id: id) }
                try store.write { try $0.put(entry) }
            }
            let violations = try await test.run(migrating: Self.golden(.version10)).violations
            let between = try #require(violations.first { $0.problem.contains("the content is that of no step") })
            test.replaying = between.reproducer
            let again = try await test.run(migrating: Self.golden(.version10))
            #expect(again.imagesBuilt == 1)
            #expect(again.violations.map(\.problem) == [between.problem])
        }

        @Test("A migration that drops a record is detected (negative control) [J-MG1]")
        func droppedRecord() async throws {
            let test = Self.test(expecting: try Self.goldenLines(.version11)) { store in
                try store.write { _ = try $0.delete(JournalEntry.self, id: FormerJournal.id(12)) }
            }
            let violations = try await test.run(migrating: Self.golden(.version11)).violations
            #expect(violations.contains { $0.problem.contains("the records differ: - entry") })
        }
    }
}

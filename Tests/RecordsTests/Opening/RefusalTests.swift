import CivilTime
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import Records

@Suite struct RefusalTests {
    private func closedStore(schema: Schema = Reading.schema) async throws -> TestStore {
        let opened = try TestStore(schema: schema)
        try await opened.put(Reading(1, at: TestStore.start))
        opened.store.close()
        return opened
    }

    private func manifest(_ opened: TestStore) -> String { "\(opened.folder.store)/store.json" }

    @Test("A store of a newer schema is refused and not touched")
    func newerSchema() async throws {
        let opened = try await closedStore(schema: Schema(version: 3).adding(Reading.collection))
        let before = opened.folder.contents
        #expect(throws: RecordsError.newerFormat(path: opened.folder.store, found: 3, known: 1)) {
            try opened.reopened()
        }
        // Nor does a collection that the newer version gave up come back in it.
        #expect(throws: RecordsError.newerFormat(path: opened.folder.store, found: 3, known: 1)) {
            try opened.reopened(schema: Reading.schema.adding(EveryForm.collection))
        }
        #expect(opened.folder.contents == before)
        let newer = try opened.reopened(schema: Schema(version: 4).adding(Reading.collection))
        #expect(try newer.readings().count == 1)
        newer.store.close()
        #expect(throws: RecordsError.newerFormat(path: opened.folder.store, found: 4, known: 3)) {
            try opened.reopened(schema: Schema(version: 3).adding(Reading.collection))
        }
    }

    @Test("A store of a newer file format is refused and not touched")
    func newerFormat() async throws {
        let opened = try await closedStore()
        let text = try String(contentsOfFile: manifest(opened), encoding: .utf8)
        try text.replacing(/"version": [12]/, with: "\"version\": 3").write(
            toFile: manifest(opened), atomically: true, encoding: .utf8)
        let before = opened.folder.contents
        #expect(throws: RecordsError.newerFormat(path: opened.folder.store, found: 3, known: 2)) {
            try opened.reopened()
        }
        #expect(opened.folder.contents == before)
    }

    @Test(
        "A folder of other files is refused and not touched",
        arguments: ["", "{", "{\"format\": \"other\", \"version\": 1, \"createdAt\": \"\", \"library\": \"\"}", "[]"])
    func foreignManifest(text: String) async throws {
        let opened = try await closedStore()
        try text.write(toFile: manifest(opened), atomically: true, encoding: .utf8)
        let before = opened.folder.contents
        #expect(throws: RecordsError.notAStore(path: opened.folder.store)) { try opened.reopened() }
        #expect(opened.folder.contents == before)
    }

    @Test("A manifest in another form of JSON, or with more fields, is read")
    func otherForms() async throws {
        let opened = try await closedStore()
        let text = try String(contentsOfFile: manifest(opened), encoding: .utf8)
        for form in [
            text, text.replacing("\n", with: ""), text.replacing("{", with: "{\"more\": [\"a\", 1],"),
            text.replacing("1.0.0", with: "1.0\\u002e0"),
        ] {
            try form.write(toFile: manifest(opened), atomically: true, encoding: .utf8)
            let reopened = try opened.reopened()
            #expect(
                try reopened.store.information().formatVersion == StoreManifest.check(at: opened.folder.store)?.version)
            #expect(try reopened.readings().count == 1)
            reopened.store.close()
        }
    }

    @Test("LMDB's files without a manifest are not a store")
    func missingManifest() async throws {
        let opened = try await closedStore()
        try FileManager.default.removeItem(atPath: manifest(opened))
        #expect(throws: RecordsError.manifestMissing(path: opened.folder.store)) { try opened.reopened() }
    }

    @Test("A missing store is not created without the option")
    func notCreated() {
        for options in [StoreOptions(createIfMissing: false), StoreOptions(isReadOnly: true)] {
            let folder = TemporaryFolder(on: .memory)
            #expect(throws: RecordsError.engine(.storeNotFound(path: folder.store))) {
                try TestStore(folder: folder, options: options)
            }
            #expect(!FileManager.default.fileExists(atPath: folder.store))
        }
    }

    @Test("A read-only store refuses writes, also beside one that writes [S-7]")
    func readOnly() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        let reader = try TestStore(folder: opened.folder, options: StoreOptions(isReadOnly: true))
        await #expect(throws: RecordsError.engine(.readOnly)) { try await reader.put(Reading(2)) }
        await #expect(throws: RecordsError.engine(.readOnly)) { _ = try await reader.store.rebuild() }
        #expect(try reader.readings().count == 1)
        opened.store.close()
        let alone = try opened.reopened(options: StoreOptions(isReadOnly: true))
        await #expect(throws: RecordsError.engine(.readOnly)) { try await alone.put(Reading(2)) }
    }

    /// Every case; `number` below does not compile while one is missing there.
    private static let errors: [(error: RecordsError, code: String, kind: ErrorKind)] = [
        (.engine(.closed), "closed", .recoverable), (.notAStore(path: "/p"), "not-a-store", .recoverable),
        (.newerFormat(path: "/p", found: 2, known: 1), "newer-format", .permanent),
        (.damagedRecord(collection: "c", key: "00"), "damaged-record", .permanent),
        (.damagedEntry(table: "t", key: "00"), "damaged-entry", .permanent),
        (.unreadableField(number: 3), "unreadable-field", .permanent),
        (.duplicate(collection: "c", key: "00"), "duplicate-record", .recoverable),
        (.unknownCollection(name: "c"), "unknown-collection", .recoverable),
        (.nothingToUndo, "nothing-to-undo", .recoverable), (.nothingToRedo, "nothing-to-redo", .recoverable),
        (.changedSince, "changed-since", .recoverable), (.changesTrimmed(oldest: 3), "changes-trimmed", .recoverable),
        (.transactionEnded, "transaction-ended", .recoverable),
        (.badDeclaration("twice"), "bad-declaration", .recoverable),
        (.changesPurged(after: 3), "changes-forgotten", .recoverable),
        (.changeNotReached(last: 3), "change-not-reached", .recoverable),
        (.refusedRecord(collection: "c", key: "00"), "refused-record", .permanent),
        (.unexpected(type: "T"), "unexpected", .recoverable),
        (.duplicateKey(index: "t.i"), "duplicate-key", .recoverable),
        (.missingTarget(reference: "t.r"), "missing-target", .recoverable),
        (.stillReferenced(by: "t.r"), "still-referenced", .recoverable),
        (.foreignPageToken, "foreign-page-token", .recoverable),
        (.unknownConsumer(name: "c"), "unknown-consumer", .recoverable),
        (.noSuchPlace(index: "t.i"), "no-such-place", .recoverable),
        (.notEmpty, "not-empty", .recoverable),
        (.manifestMissing(path: "/p"), "manifest-missing", .permanent),
    ]

    private func number(_ error: RecordsError) -> Int {
        switch error {
        case .engine: 0
        case .notAStore: 1
        case .newerFormat: 2
        case .damagedRecord: 3
        case .damagedEntry: 4
        case .unreadableField: 5
        case .duplicate: 6
        case .unknownCollection: 7
        case .nothingToUndo: 8
        case .nothingToRedo: 9
        case .changedSince: 10
        case .changesTrimmed: 11
        case .transactionEnded: 12
        case .badDeclaration: 13
        case .changesPurged: 14
        case .changeNotReached: 15
        case .refusedRecord: 16
        case .unexpected: 17
        case .duplicateKey: 18
        case .missingTarget: 19
        case .stillReferenced: 20
        case .foreignPageToken: 21
        case .unknownConsumer: 22
        case .noSuchPlace: 23
        case .notEmpty: 24
        case .manifestMissing: 25
        }
    }

    @Test("Every error has a unique code, a kind, and one line that says what to do [S-40]")
    func errors() {
        #expect(Self.errors.map { number($0.error) } == Array(0...25))
        #expect(Set(Self.errors.map(\.error.code)).count == Self.errors.count)
        #expect(Set(Self.errors.map(\.error.description)).count == Self.errors.count)
        for (error, code, kind) in Self.errors {
            #expect(error.code == code)
            #expect(error.kind == kind, "\(code)")
            #expect(error.description.hasSuffix(".") && !error.description.contains("\n"), "\(code)")
        }
    }

    @Test("An error of the engine keeps its code and kind [S-40]")
    func engineErrors() {
        for error in [.busy(operation: "o", code: 1), .storageFull(detail: "the disk"), .readOnly] as [KeyValueError] {
            #expect(RecordsError.engine(error).code == error.code)
            #expect(RecordsError.engine(error).kind == error.kind)
        }
    }

    @Test("Damage errors name what to do next [S-47]")
    func guidance() {
        #expect(RecordsError.damagedRecord(collection: "c", key: "00").description.contains("Rebuild the store"))
        #expect(
            RecordsError.damagedEntry(table: "t", key: "00").description.contains("Verify the store, and rebuild it."))
        #expect(RecordsError.newerFormat(path: "/p", found: 2, known: 1).description.contains("Update Daybook"))
    }
}

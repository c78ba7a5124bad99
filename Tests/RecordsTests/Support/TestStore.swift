import CivilTime
import Foundation
import TestSupport

@_exported import func TestSupport.uuid  // for every file of the target

@testable import Records

extension TemporaryFolder {
    /// The store's folder.
    var store: String { "\(path)/store" }

    /// The bytes of every file of the store but LMDB's table of readers.
    var contents: [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: store)) ?? [] where name != "lock.mdb" {
            contents[name] = FileManager.default.contents(atPath: "\(store)/\(name)").map { Array($0) }
        }
        return contents
    }
}

/// A store of readings with a stopped clock.
final class TestStore: Sendable {
    static let start = Instant(secondsSince1970: 1_770_800_400)

    let folder: TemporaryFolder
    let clock: SettableClock
    let store: RecordStore

    init(
        schema: Schema = Reading.schema, folder: TemporaryFolder = TemporaryFolder(on: .memory), seed: UInt64 = 1,
        options: StoreOptions = StoreOptions()
    ) throws {
        let clock = SettableClock(Self.start)
        self.folder = folder
        self.clock = clock
        store = try RecordStore(
            at: folder.store, schema: schema, context: .test(clock: clock, seed: seed), options: options)
    }

    deinit {
        store.close()
    }

    /// Closes the store and opens its folder again.
    func reopened(schema: Schema = Reading.schema, options: StoreOptions = StoreOptions()) throws -> TestStore {
        store.close()
        return try TestStore(schema: schema, folder: folder, options: options)
    }

    func put(_ readings: Reading...) async throws {
        try await store.write { transaction in
            for reading in readings { try transaction.put(reading) }
        }
    }

    /// Every record, by id.
    func readings() throws -> [UUID: Reading] {
        try store.read { transaction in
            var found: [UUID: Reading] = [:]
            try transaction[Reading.self].forEach { reading in
                found[reading.id] = reading
                return true
            }
            return found
        }
    }
}

extension Context {
    static func test(clock: SettableClock, seed: UInt64 = 1) -> Context {
        Context(
            clock: clock, random: SeededRandomSource(seed: seed), currentZone: { .utc }, weekStart: .monday)
    }
}

/// Random choices that a seed determines.
typealias Dice = TestSupport.Dice

/// The error of this module that a piece of work throws, if it does.
func recordsError(of work: () async throws -> Void) async -> RecordsError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? RecordsError
    }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}

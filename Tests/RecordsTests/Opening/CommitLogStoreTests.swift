import CivilTime
import Foundation
import Testing

@testable import KeyValue
@testable import Records

/// Stores with a commit log, as everything above the log sees them.
@Suite struct CommitLogStoreTests {
    private static func options(_ use: CommitLogUse = .always(checkpointPages: 100, logLength: 1 << 18)) -> StoreOptions
    {
        var options = StoreOptions()
        options.commitLog = use
        return options
    }

    private func version(of opened: TestStore) throws -> Int {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(opened.folder.store)/store.json"))
        return try JSONDecoder().decode(StoreManifest.self, from: bytes).version
    }

    @Test("A store that may use the log is one of format 2, and information says how its commits become durable")
    func information() async throws {
        let direct = try TestStore(options: Self.options(.absent))
        #expect(try version(of: direct) == 1)
        try await direct.put(Reading(1))
        #expect(try direct.store.information().commits == CommitStatus(nil))
        let logged = try TestStore(options: Self.options())
        #expect(try version(of: logged) == 2)
        #expect(try logged.store.information().formatVersion == 2)
        for number in 0..<3 { try await logged.put(Reading(UInt64(number))) }
        let commits = try logged.store.information().commits
        // One more has noted the schema at opening.
        #expect(commits.mode == .logged && commits.sinceCheckpoint >= 3)
        #expect(commits.logBytes == commits.sinceCheckpoint * 4096)
        logged.store.close()
        let reopened = try TestStore(folder: logged.folder, options: Self.options(.never))
        #expect(try reopened.store.information().commits.mode == .direct)
        #expect(try reopened.readings().count == 3)
    }

    @Test("A store of format 1 becomes one of format 2, and keeps what its manifest says")
    func upgrade() async throws {
        let first = try TestStore(options: Self.options(.absent))
        try await first.put(Reading(1))
        let created = try first.store.information().createdAt
        let second = try first.reopened(options: Self.options())
        #expect(try version(of: second) == 2)
        try await second.put(Reading(2))
        #expect(try second.store.information().commits.mode == .direct)
        let third = try second.reopened(options: Self.options())
        try await third.put(Reading(3))
        #expect(try third.store.information().commits.mode == .logged)
        #expect(try third.store.information().createdAt == created)
        #expect(try third.readings().count == 3)
    }

    @Test("The same program writes the same records in either mode [D12]")
    func sameBytes() async throws {
        func content(_ use: CommitLogUse) async throws -> [UUID: Reading] {
            let opened = try TestStore(seed: 7, options: Self.options(use))
            for number in 0..<10 {
                try await opened.put(Reading(UInt64(number), note: "\(opened.store.identifiers.next())"))
            }
            return try opened.readings()
        }
        let direct = try await content(.never)
        #expect(try await content(.always()) == direct)
    }

    @Test("Verify reports a damaged log, and a rebuild begins it anew")
    func damagedLog() async throws {
        let opened = try TestStore(options: Self.options())
        for number in 0..<6 { try await opened.put(Reading(UInt64(number))) }
        #expect(try opened.store.verify().problems == [])
        let file = "\(opened.folder.store)/commits"
        let handle = try #require(FileHandle(forUpdatingAtPath: file))
        try handle.seek(toOffset: 16_384 + 4096 + 80)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: 16_384 + 4096 + 80)
        try handle.write(contentsOf: [byte ^ 1])
        try handle.close()
        let problems = try opened.store.verify().problems
        #expect(problems.count == 1 && problems[0].hasPrefix("commits: "), "\(problems)")
        // The data file is whole, so that a checkpoint makes the log superfluous.
        try await opened.store.rebuild()
        #expect(try opened.store.verify().problems == [])
        #expect(try opened.readings().count == 6)
    }
}

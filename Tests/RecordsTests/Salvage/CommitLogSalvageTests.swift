import CivilTime
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import Records

/// Salvaging stores whose process was killed while it committed through the log.
@Suite struct CommitLogSalvageTests {
    /// The files of such a store.
    private struct Killed {
        /// The data file at the first commit of the log: what is on the disk at least, whatever the power failure keeps.
        let early: [UInt8]
        /// The data file as the process left it, in the page cache.
        let data: [UInt8]
        let commits: [UInt8]
        /// The readings when the log began, and at last.
        let begun: [UUID: Reading]
        let readings: [UUID: Reading]
        private let manifest: Data

        init(seed: UInt64 = 1, changes: Int = 40) async throws {
            var dice = Dice(seed: seed)
            var options = StoreOptions()
            options.commitLog = .never
            let direct = try TestStore(options: options)
            try await direct.store.write { transaction in
                for number in 0..<120 { try transaction.put(Reading(UInt64(number), level: Int32(number % 7))) }
            }
            options.commitLog = .always(checkpointPages: 1000, logLength: 1 << 20)
            // A store of format 1 has its log from the second opening on.
            let opened = try direct.reopened(options: options).reopened(options: options)
            let path = opened.folder.store
            func file(_ name: String) throws -> [UInt8] {
                Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
            }
            begun = try opened.readings()
            try await opened.put(Reading(500))
            early = try file("data.mdb")
            for change in 0..<changes {
                let number = UInt64(dice.below(130))
                if change % 5 == 4 {
                    try await opened.store.write { try $0.delete(Reading.self, id: uuid(number)) }
                } else {
                    try await opened.put(Reading(number, level: Int32(change)))
                }
            }
            readings = try opened.readings()
            #expect(try opened.store.information().commits.sinceCheckpoint > changes / 2)
            (data, commits) = (try file("data.mdb"), try file("commits"))
            manifest = Data(try file("store.json"))
            opened.store.close()
        }

        func salvage(
            data: [UInt8], commits: [UInt8]?, takingDeleted: Bool = false
        ) throws -> (report: SalvageReport, readings: [UUID: Reading], problems: [String]) {
            let (damaged, place) = (TemporaryFolder(on: .memory), TemporaryFolder(on: .memory))
            try FileManager.default.createDirectory(atPath: damaged.store, withIntermediateDirectories: true)
            func write(_ bytes: Data, _ name: String) throws {
                try bytes.write(to: URL(fileURLWithPath: "\(damaged.store)/\(name)"))
            }
            try write(Data(data), "data.mdb")
            try write(manifest, "store.json")
            if let commits { try write(Data(commits), "commits") }
            let report = try RecordStore.salvage(
                damaged.store, to: place.store, schema: Reading.schema,
                context: .test(clock: SettableClock(TestStore.start)),
                options: SalvageOptions(takesDeleted: takingDeleted))
            let saved = try TestStore(folder: place)
            return (report, try saved.readings(), try saved.store.verify().problems)
        }
    }

    @Test("The log has what the data file has not, and what it removes stays removed", arguments: [1, 2, 3])
    func power(_ seed: UInt64) async throws {
        let store = try await Killed(seed: seed)
        #expect(store.readings != store.begun)
        for data in [store.data, store.early] {
            let (report, readings, problems) = try store.salvage(data: data, commits: store.commits)
            #expect(readings == store.readings)
            #expect(report.isComplete && report.collections.map(\.isProvedComplete) == [true])
            #expect(report.changesLost == 0 && problems == [])
        }
        // Without the log, the data file of a power failure is of an earlier time.
        #expect(try store.salvage(data: store.early, commits: nil).readings != store.readings)
        let all = try store.salvage(data: store.early, commits: store.commits, takingDeleted: true)
        #expect(all.report.collections[0].formerKeys.count == all.readings.count - store.readings.count)
        for (id, reading) in store.readings { #expect(all.readings[id] == reading) }
    }

    @Test("Whatever is damaged in data file and log, nothing wrong comes back [S-10]")
    func anyDamage() async throws {
        let store = try await Killed()
        var dice = Dice(seed: 20)
        // Every version that a reading has had may be the last one that can be read.
        for _ in 0..<TestBudget.count(60, long: 1500) {
            let data = dice.chance(50) ? store.data : store.early
            let (kind, damaged, touched) = SalvageTests.damage(data, &dice)
            guard kind != "cut" else { continue }
            let (report, readings, problems) = try store.salvage(data: damaged, commits: store.commits)
            #expect(problems == [], "\(kind) of \(touched)")
            for (id, reading) in readings { #expect(store.readings[id] == reading, "\(kind) of \(touched)") }
            if report.isComplete { #expect(readings == store.readings, "\(kind) of \(touched)") }
        }
    }

    @Test("Of a log that is damaged in its middle, what precedes the damage counts, unless the data file is whole")
    func middle() async throws {
        let store = try await Killed()
        var commits = store.commits
        for record in 10..<12 { commits[16_384 + record * 4096 + 60] ^= 4 }
        let whole = try store.salvage(data: store.data, commits: commits)
        #expect(whole.readings == store.readings && whole.report.isComplete)
        let (report, readings, problems) = try store.salvage(data: store.early, commits: commits)
        #expect(problems == [])
        #expect(readings != store.readings && readings != store.begun)
        #expect(report.collections.map(\.isProvedComplete) == [true])
    }

    @Test("A log that belongs to another data file, and one without any slot, are not believed")
    func foreign() async throws {
        let store = try await Killed()
        let (direct, other) = (try await Killed(seed: 5, changes: 90), store)
        // Later transactions than its log can have: the store has left logged mode since.
        let strange = try other.salvage(data: direct.data, commits: other.commits)
        #expect(strange.readings == direct.readings && strange.problems == [])
        let none = try store.salvage(data: store.data, commits: [UInt8](repeating: 0, count: 16_384))
        #expect(none.readings == store.readings && none.problems == [])
    }
}

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import ByteStreams
@testable import Snapshots

/// Pruning a folder whose snapshots were dated by clocks that were wrong.
@Suite struct SnapshotClockTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
    }

    @discardableResult
    private func write(
        _ name: String, at instant: Instant, sequence: UInt64, store: Int = 1, since base: SnapshotManifest? = nil
    ) throws -> SnapshotManifest {
        let manifest = SnapshotManifest(
            storeID: UUID(uuidString: "019c4722-f0a0-7000-8000-00000000000\(store)"), schema: 1, sequence: sequence,
            instant: instant, library: "1.0.0", collections: [], base: base.map { SnapshotBase($0, fileName: "base") })
        let file = try SnapshotState(collections: [:]).file(manifest, since: nil)
        try Data(file).write(to: URL(fileURLWithPath: "\(folder.path)/\(name).snapshot"))
        return manifest
    }

    private func plan(days: Int, now: String) throws -> SnapshotPruning { try plan(days: days, now: Instant(now)) }

    private func plan(days: Int, now: Instant) throws -> SnapshotPruning {
        try SnapshotFolder(folder.path).plan(
            keeping: SnapshotRetention(days: days), now: now, zone: .utc, weekStart: .monday)
    }

    private func names(_ listings: [SnapshotListing]) -> [String] {
        listings.map { String($0.name.dropLast(SnapshotFile.suffix.count)) }
    }

    @Test("A snapshot dated years later does not count, is kept and is reported [S-74]")
    func future() throws {
        try write("wrong", at: Instant("2031-01-01T00:00:00Z"), sequence: 1)
        try write("today", at: Instant("2026-02-10T09:00:00Z"), sequence: 6)
        let plan = try plan(days: 1, now: "2026-02-10T10:00:00Z")
        #expect(names(plan.kept) == ["today"] && names(plan.later) == ["wrong"] && plan.removed.isEmpty)
    }

    @Test("After a week of dates in the future, the right days are kept by the rule [S-74]")
    func wrongWeek() throws {
        for day in 1...7 {
            try write("wrong-\(day)", at: Instant("2031-03-0\(day)T09:00:00Z"), sequence: UInt64(day))
        }
        for day in 10...19 { try write("\(day)", at: Instant("2026-02-\(day)T09:00:00Z"), sequence: UInt64(day)) }
        let plan = try plan(days: 7, now: "2026-02-19T10:00:00Z")
        #expect(names(plan.kept) == (13...19).map(String.init))
        #expect(names(plan.removed) == ["12", "11", "10"])
        #expect(names(plan.later) == (1...7).map { "wrong-\($0)" })
    }

    @Test("A clock that is behind every snapshot removes none [S-74]")
    func clockBehind() throws {
        for day in 10...12 { try write("\(day)", at: Instant("2026-02-\(day)T09:00:00Z"), sequence: UInt64(day)) }
        let plan = try plan(days: 1, now: "1970-01-01T00:00:10Z")
        #expect(plan.removed.isEmpty && plan.kept.isEmpty && names(plan.later) == ["10", "11", "12"])
    }

    @Test("The newest by sequence number is kept in each store, however old its date is [S-74]")
    func newestBySequence() throws {
        for day in 10...12 { try write("\(day)", at: Instant("2026-02-\(day)T09:00:00Z"), sequence: UInt64(day)) }
        try write("lost", at: Instant("1970-01-01T00:00:00Z"), sequence: 13)
        try write("other", at: Instant("1970-01-02T00:00:00Z"), sequence: 2, store: 2)
        try write("other-12", at: Instant("2026-02-12T09:00:00Z"), sequence: 1, store: 2)
        let plan = try plan(days: 1, now: "2026-02-13T00:00:00Z")
        #expect(Set(names(plan.kept)) == ["lost", "12", "other", "other-12"])
        #expect(names(plan.removed) == ["11", "10"])
    }

    @Test("A symbolic link to the newest snapshot does not take its place [S-75]")
    func link() throws {
        try write("1", at: Instant("2026-02-10T09:00:00Z"), sequence: 1)
        try write("2", at: Instant("2026-02-11T09:00:00Z"), sequence: 2)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/latest.snapshot", withDestinationPath: "2.snapshot")
        let plan = try plan(days: 1, now: "2026-02-13T00:00:00Z")
        #expect(names(plan.removed) == ["1"] && names(plan.kept) == ["2", "latest"])
    }

    @Test("Under clocks that jump, pruning follows a plain model [S-74]", arguments: 1...8 as ClosedRange<UInt64>)
    func jumpingClocks(seed: UInt64) throws {
        var dice = Dice(seed &* 0x9E37_79B9_7F4A_7C15)
        var model: [Model] = []
        var manifests: [String: SnapshotManifest] = [:]
        var (error, sequence) = (0, UInt64(1))
        let day = 86_400_000_000
        for step in 0..<40 {
            // Half a day for each step; the clock jumps by up to years, and back.
            if dice.below(5) == 0 { error = dice.below(2) == 0 ? 0 : (dice.below(4_001) - 2_000) * day / 3 }
            let now = Instant(microsecondsSince1970: Int64(1_770_000_000_000_000 + step * day / 2 + error))
            if dice.below(3) > 0 { sequence += UInt64(dice.below(3)) }
            let base = dice.below(2) == 0 ? model.last : nil
            let name = String(format: "%03d", step)
            manifests[name] = try write(
                name, at: now, sequence: sequence, since: base.flatMap { manifests[$0.name] })
            model.append(Model(name: name, instant: now, sequence: sequence, base: base?.name))
            guard dice.below(3) == 0 else { continue }
            let days = 1 + dice.below(4)
            let plan = try plan(days: days, now: now)
            let kept = Model.kept(model, days: days, now: now)
            #expect(Set(names(plan.removed)) == Set(model.map(\.name)).subtracting(kept), "step \(step)")
            #expect(Set(names(plan.later)) == Set(model.filter { $0.instant > now }.map(\.name)))
            #expect(plan.unverified.isEmpty && plan.incomplete.isEmpty)
            try plan.perform()
            // Every one that is left can be restored, and one of them has the last change.
            let left = try SnapshotFolder(folder.path).listing()
            for entry in left {
                _ = try SnapshotFile.verify("\(folder.path)/\(entry.name)")
            }
            model.removeAll { !kept.contains($0.name) }
            #expect(model.map(\.sequence).max() == sequence)
        }
    }

    /// A snapshot of the model.
    private struct Model {
        let name: String
        let instant: Instant
        let sequence: UInt64
        let base: String?

        /// The names that stay.
        static func kept(_ all: [Model], days: Int, now: Instant) -> Set<String> {
            let counted = all.filter { $0.instant <= now }.sorted { ($0.instant, $0.name) < ($1.instant, $1.name) }
            var newestOfDay: [Int64: Model] = [:]
            for one in counted { newestOfDay[one.instant.microsecondsSince1970 / 86_400_000_000] = one }
            var kept = newestOfDay.sorted { $0.key > $1.key }.prefix(days).map(\.value)
            if let highest = counted.map(\.sequence).max(), !kept.contains(where: { $0.sequence == highest }) {
                kept += counted.filter { $0.sequence == highest }.suffix(1)
            }
            var names = Set(kept.map(\.name)).union(all.filter { $0.instant > now }.map(\.name))
            // What they continue.
            while true {
                let bases = all.filter { names.contains($0.name) }.compactMap(\.base)
                if names.isSuperset(of: bases) { return names }
                names.formUnion(bases)
            }
        }
    }
}

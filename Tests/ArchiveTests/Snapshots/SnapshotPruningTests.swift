import CivilTime
import Foundation
import Testing

@testable import Archive

@Suite("Pruning a folder of snapshots")
struct SnapshotPruningTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A snapshot of a store on a day of February 2026.
    private func manifest(_ day: Int, store: Int = 1, since base: SnapshotManifest? = nil) throws -> SnapshotManifest {
        SnapshotManifest(
            storeID: UUID(uuidString: "019c4722-f0a0-7000-8000-00000000000\(store)"), schema: 1, sequence: UInt64(day),
            instant: try Instant("2026-02-\(day < 10 ? "0" : "")\(day)T09:00:00Z"), library: "1.0.0", collections: [],
            base: base.map { SnapshotBase($0, fileName: "base.snapshot") })
    }

    private func write(_ manifest: SnapshotManifest, as name: String) throws {
        let file = try SnapshotState(collections: [:]).file(manifest, since: nil)
        try Data(file).write(to: URL(fileURLWithPath: "\(folder.path)/\(name).snapshot"))
    }

    private func plan(_ retention: SnapshotRetention) throws -> SnapshotPruning {
        try SnapshotFolder(folder.path).plan(keeping: retention, zone: .utc, weekStart: .monday)
    }

    private func names(_ listings: [SnapshotListing]) -> [String] {
        listings.map { String($0.name.dropLast(SnapshotFile.suffix.count)) }
    }

    @Test("What cannot be restored stays and never stands in for what can")
    func incomplete() throws {
        let gone = try manifest(5)
        let middle = try manifest(6, since: gone)
        try write(manifest(1), as: "old")
        try write(manifest(2), as: "whole")
        try write(middle, as: "middle")
        try write(manifest(7, since: middle), as: "last")
        let plan = try self.plan(SnapshotRetention(days: 1))
        #expect(names(plan.kept) == ["whole"])
        #expect(names(plan.removed) == ["old"])
        #expect(names(plan.incomplete) == ["middle", "last"])
        try plan.carryOut()
        #expect(names(try SnapshotFolder(folder.path).listing()) == ["whole", "middle", "last"])
    }

    @Test("The snapshots of each store are judged by themselves")
    func stores() throws {
        for day in 1...3 { try write(manifest(day, store: 1), as: "first-\(day)") }
        let base = try manifest(4, store: 2)
        try write(base, as: "second-4")
        try write(manifest(5, store: 2, since: base), as: "second-5")
        try write(manifest(6, store: 2), as: "second-6")
        let plan = try self.plan(SnapshotRetention(days: 1))
        #expect(names(plan.kept) == ["first-3", "second-6"])
        // What continues another goes before it.
        #expect(names(plan.removed) == ["second-5", "second-4", "first-2", "first-1"])
        let two = try self.plan(SnapshotRetention(days: 2))
        #expect(names(two.kept) == ["first-2", "first-3", "second-4", "second-5", "second-6"])
    }

    @Test("A chain of a hundred snapshots is not made longer")
    func longChain() throws {
        var last = try manifest(1)
        try write(last, as: "1")
        var before = last
        for number in 2...100 {
            before = last
            last = try manifest(1 + number / 10, since: last)
            last.sequence = UInt64(number)
            try write(last, as: "\(number)")
        }
        // The last but one.
        try SnapshotFile.checkChain(endingWith: "\(folder.path)/99.snapshot", base: before.base?.id)
        let path = "\(folder.path)/100.snapshot"
        #expect(throws: ArchiveError.chainTooLong(path: path, limit: 100)) {
            try SnapshotFile.checkChain(endingWith: path, base: last.base?.id)
        }
        #expect(try SnapshotFile.verify(path).isBasePresent)
        let chain = try SnapshotFile.chain(path, passphrase: nil)
        #expect(try !chain.next())
    }

    @Test("The mark in the header is that of the store in the manifest")
    func mark() throws {
        var manifest = try self.manifest(1)
        #expect(manifest.storeMark != 0)
        manifest.storeID = nil
        #expect(manifest.storeMark == 0)
        var file = try SnapshotState(collections: [:]).file(self.manifest(1), since: nil)
        file[56] ^= 1
        #expect(
            throws: ArchiveError.damagedSnapshot(
                path: "a.snapshot", reason: "its header and its manifest disagree")
        ) { try snapshotReader(file) }
    }
}

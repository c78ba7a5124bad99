import CivilTime
import Foundation
import TestSupport
import Testing

@testable import ByteStreams
@testable import Snapshots

@Suite("Pruning a folder of snapshots")
struct SnapshotPruningTests {
    /// Later than every snapshot.
    private static let now = Instant(microsecondsSince1970: 1_900_000_000_000_000)
    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
    }

    /// The manifest of a store on a day of February 2026.
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

    private func plan(_ retention: SnapshotRetention, passphrase: Passphrase? = nil) throws -> SnapshotPruning {
        try SnapshotFolder(folder.path).plan(
            keeping: retention, now: Self.now, zone: .utc, weekStart: .monday, passphrase: passphrase)
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name).snapshot" }

    /// Flips a bit in the middle of the body.
    private func damage(_ name: String) throws {
        let url = URL(fileURLWithPath: path(name))
        var bytes = try Data(contentsOf: url)
        bytes[(SnapshotHeader.byteCount + bytes.count) / 2] ^= 1
        try bytes.write(to: url)
    }

    /// Writes an encrypted snapshot, with a cheap key.
    private func write(_ manifest: SnapshotManifest, as name: String, encryptedBy passphrase: Passphrase) throws {
        let header = SnapshotHeader(manifest, isEncrypted: true)
        let output = Output()
        let writer = try SnapshotWriter(manifest, level: 3, isEncrypted: true) { (bytes) throws(FileError) in
            output.chunks.append(bytes)
        }
        try writer.finish()
        let encrypted = Output()
        var sink = EncryptedSink(
            header: header.bytes, passphrase: passphrase,
            head: EncryptionHead(random: SeededRandomSource(seed: 1), cost: 10), path: name
        ) { (bytes) throws(FileError) in encrypted.chunks.append(bytes) }
        try sink.write(Array(output.chunks.joined()))
        try sink.finish()
        try Data(encrypted.chunks.joined()).write(to: URL(fileURLWithPath: path(name)))
    }

    private func unverified(_ plan: SnapshotPruning) -> [String] { names(plan.unverified.map(\.snapshot)) }

    private func names(_ listings: [SnapshotListing]) -> [String] {
        listings.map { String($0.name.dropLast(SnapshotFile.suffix.count)) }
    }

    @Test("A snapshot that cannot be restored is kept, but never in place of one that can [S-57]")
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
        try plan.perform()
        #expect(names(try SnapshotFolder(folder.path).listing()) == ["whole", "middle", "last"])
    }

    @Test("The retention rule applies to the snapshots of each store separately")
    func stores() throws {
        for day in 1...3 { try write(manifest(day, store: 1), as: "first-\(day)") }
        let base = try manifest(4, store: 2)
        try write(base, as: "second-4")
        try write(manifest(5, store: 2, since: base), as: "second-5")
        try write(manifest(6, store: 2), as: "second-6")
        let plan = try self.plan(SnapshotRetention(days: 1))
        #expect(names(plan.kept) == ["first-3", "second-6"])
        // A snapshot is removed before the one that it continues.
        #expect(names(plan.removed) == ["second-5", "second-4", "first-2", "first-1"])
        let two = try self.plan(SnapshotRetention(days: 2))
        #expect(names(two.kept) == ["first-2", "first-3", "second-4", "second-5", "second-6"])
    }

    @Test("A snapshot with a damaged body does not replace a valid one, and the next valid one is kept [S-57]")
    func damagedBody() throws {
        for day in 1...3 { try write(manifest(day), as: "\(day)") }
        try damage("3")
        let plan = try self.plan(SnapshotRetention(days: 1))
        #expect(names(plan.kept) == ["2"])
        #expect(names(plan.removed) == ["1"])
        #expect(unverified(plan) == ["3"])
        let problem = try #require(plan.unverified.first?.problem)
        #expect(problem.isDamage && problem.description.contains("3.snapshot"))
        try plan.perform()
        #expect(names(try SnapshotFolder(folder.path).listing()) == ["2", "3"])
        // The damaged one is kept, so it is found again, and no other is removed.
        let again = try self.plan(SnapshotRetention(days: 1))
        #expect(names(again.kept) == ["2"] && again.removed.isEmpty && unverified(again) == ["3"])
    }

    @Test("Nothing is removed when every snapshot is damaged")
    func allDamaged() throws {
        for day in 1...3 {
            try write(manifest(day), as: "\(day)")
            try damage("\(day)")
        }
        let plan = try self.plan(SnapshotRetention(days: 1, weeks: 1, months: 1))
        // The oldest one is kept in place of none, so it is not verified.
        #expect(names(plan.kept) == ["1"] && plan.removed.isEmpty && unverified(plan) == ["2", "3"])
    }

    @Test(
        "A damaged base invalidates the snapshots that continue it, and a damaged snapshot does not invalidate its base"
    )
    func damagedChain() throws {
        try write(manifest(1), as: "1")
        let base = try manifest(2)
        try write(base, as: "2")
        let middle = try manifest(3, since: base)
        try write(middle, as: "3")
        try write(manifest(4, since: middle), as: "4")
        let intact = try self.plan(SnapshotRetention(days: 1))
        #expect(names(intact.kept) == ["2", "3", "4"] && names(intact.removed) == ["1"])

        try damage("3")
        let broken = try self.plan(SnapshotRetention(days: 1))
        // Snapshots that continue the damaged one are kept, and the full one below it is the newest valid one.
        #expect(names(broken.kept) == ["2"] && names(broken.removed) == ["1"] && unverified(broken) == ["3", "4"])

        try damage("2")
        let none = try self.plan(SnapshotRetention(days: 1))
        #expect(names(none.kept) == ["1"] && none.removed.isEmpty && unverified(none) == ["2", "3", "4"])
    }

    @Test("The base of a damaged incremental snapshot is kept")
    func damagedTip() throws {
        let base = try manifest(1)
        try write(base, as: "1")
        try write(manifest(2), as: "2")
        try write(manifest(3, since: base), as: "3")
        try damage("3")
        let plan = try self.plan(SnapshotRetention(days: 1))
        // Another copy of the file may turn up, which would be useless without its base.
        #expect(names(plan.kept) == ["1", "2"] && plan.removed.isEmpty && unverified(plan) == ["3"])
    }

    @Test("Only snapshots that are kept in place of removed ones are verified")
    func lazily() throws {
        for day in 1...3 { try write(manifest(day), as: "\(day)") }
        try write(manifest(1, store: 2), as: "other-1")
        for name in ["1", "other-1"] { try damage(name) }
        // Nothing is removed.
        let all = try self.plan(SnapshotRetention(days: 3))
        #expect(all.kept.count == 4 && all.unverified.isEmpty)
        // Removed snapshots are not read, nor is the only one of another store.
        let two = try self.plan(SnapshotRetention(days: 2))
        #expect(names(two.removed) == ["1"] && two.unverified.isEmpty)
    }

    @Test("An encrypted snapshot replaces others only if the passphrase opens it")
    func encrypted() throws {
        let right = try #require(Passphrase(Array("right".utf8)))
        for day in 1...2 { try write(manifest(day), as: "\(day)") }
        try write(manifest(3), as: "3", encryptedBy: right)
        let without = try self.plan(SnapshotRetention(days: 1))
        #expect(names(without.kept) == ["2"] && names(without.removed) == ["1"] && unverified(without) == ["3"])
        #expect(without.unverified.first?.problem == .passphraseNeeded(path: path("3")))
        let wrong = try self.plan(SnapshotRetention(days: 1), passphrase: Passphrase(Array("wrong".utf8)))
        #expect(names(wrong.kept) == ["2"])
        #expect(wrong.unverified.first?.problem == .notDecryptable(path: path("3")))
        let with = try self.plan(SnapshotRetention(days: 1), passphrase: right)
        #expect(names(with.kept) == ["3"] && names(with.removed) == ["2", "1"] && with.unverified.isEmpty)
        try damage("3")
        #expect(unverified(try self.plan(SnapshotRetention(days: 1), passphrase: right)) == ["3"])
    }

    @Test("The passphrase is requested once, and only when an encrypted snapshot must be verified")
    func asking() throws {
        struct Asked: Error {}
        let right = try #require(Passphrase(Array("right".utf8)))
        let base = try manifest(1)
        try write(base, as: "1", encryptedBy: right)
        // Not encrypted, but it continues an encrypted one.
        try write(manifest(2, since: base), as: "2")
        var count = 0
        func ask() throws -> Passphrase? {
            count += 1
            return right
        }
        func plan(_ days: Int) throws -> SnapshotPruning {
            try SnapshotFolder(folder.path).plan(
                keeping: SnapshotRetention(days: days), now: Self.now, zone: .utc, weekStart: .monday,
                passphrase: try ask())
        }
        #expect(try plan(2).removed.isEmpty && count == 0)
        try write(manifest(3), as: "3")
        #expect(names(try plan(1).removed) == ["2", "1"] && count == 0)
        #expect(try plan(2).removed.isEmpty && count == 0)
        try write(manifest(4), as: "4")
        #expect(names(try plan(3).kept) == ["1", "2", "3", "4"] && count == 0)
        try write(manifest(5), as: "5", encryptedBy: right)
        #expect(names(try plan(2).removed) == ["2", "3", "1"] && count == 1)
    }

    @Test("An error thrown by the progress handler stops pruning and does not count as damage")
    func givingUp() throws {
        var records: [[UInt8]: [UInt8]] = [:]
        for number in 0..<5_000 { records[[UInt8(number >> 8), UInt8(number & 255)]] = [1] }
        for (sequence, day) in [(1, "01"), (2, "02")] {
            let state = SnapshotState(collections: ["tasks": records], sequence: UInt64(sequence))
            var manifest = state.manifest()
            manifest.instant = try Instant("2026-02-\(day)T09:00:00Z")
            try Data(try state.file(manifest, since: nil)).write(to: URL(fileURLWithPath: path(day)))
        }
        let given = FileError.busy
        #expect(throws: given) {
            try SnapshotFolder(folder.path).plan(
                keeping: SnapshotRetention(days: 1), now: Self.now, zone: .utc, weekStart: .monday,
                progress: { _, _ in throw given })
        }
    }

    @Test("The header must identify the store of the manifest")
    func mark() throws {
        var manifest = try self.manifest(1)
        #expect(manifest.storeMark != 0)
        manifest.storeID = nil
        #expect(manifest.storeMark == 0)
        var file = try SnapshotState(collections: [:]).file(self.manifest(1), since: nil)
        file[56] ^= 1
        #expect(
            throws: FileError.damagedSnapshot(
                path: "a.snapshot", reason: "its header and its manifest disagree")
        ) { try snapshotReader(file) }
    }
}

import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import ByteStreams
@testable import Snapshots

@Suite("Salvage of damaged snapshots")
struct SnapshotSalvageTests {
    private typealias Collections = RandomRecords.Collections
    private static let names = ["tasks", "readings", "ähnlich", "z", "new"]

    private let folder: TemporaryFolder

    init() throws {
        folder = TemporaryFolder()
    }

    private func write(_ file: [UInt8], to name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try Data(file).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Salvages a snapshot and returns the records of the new store.
    private func salvage(
        _ path: String, takesDeleted: Bool = false, passphrase: Passphrase? = nil
    ) throws -> (report: SalvageReport, records: Collections) {
        let store = "\(folder.path)/store"
        try? FileManager.default.removeItem(atPath: store)
        let salvage = try SnapshotSalvage(
            path, schema: Schema(), options: SalvageOptions(takesDeleted: takesDeleted), passphrase: passphrase)
        let report = try salvage.run(to: store, context: .system)
        let opened = try RecordStore(at: store, schema: Schema())
        let records = try RandomRecords.all(in: opened)
        opened.close()
        return (report, records)
    }

    /// What is trusted of a damaged file, whatever is lost of its manifest.
    private func trusted(_ file: [UInt8], isChecked: Bool = true) throws -> Collections? {
        let bytes = try SnapshotBytes(try write(file, to: "damaged.snapshot"), passphrase: nil)
        guard let snapshot = try? SalvagedSnapshot(bytes, trying: Self.names, isChecked: isChecked) else { return nil }
        var found: Collections = [:]
        var records = SalvagedRecords([snapshot])
        while records.next() {
            found[records.name, default: [:]][records.key] = records.value
        }
        return found
    }

    /// Changes bytes as disks and programs do; `other` is another snapshot of the same store.
    private func damage(_ file: [UInt8], _ random: inout RandomRecords, splicing other: [UInt8]) -> [UInt8] {
        var file = file
        for _ in 0...random.below(3) where !file.isEmpty {
            let start = random.below(file.count)
            let end = min(file.count, start + 1 + random.below(random.chance(2) ? 600 : 6))
            switch random.below(9) {
            case 0: file[start] ^= 1 << UInt8(random.below(8))
            case 1: file[start] = UInt8(truncatingIfNeeded: random.next())
            case 2: for place in start..<end { file[place] = 0 }
            case 3: for place in start..<end { file[place] = UInt8(truncatingIfNeeded: random.next()) }
            case 4: if random.chance(3) { file.removeLast(file.count - start) }
            case 5: file.removeSubrange(start..<end)
            case 6: file.insert(contentsOf: random.bytes(end - start), at: start)
            case 7: file.replaceSubrange(start..<end, with: other[min(start, other.count)..<min(end, other.count)])
            default:
                let target = random.below(file.count)
                let moved = Array(file[start..<end])
                file.replaceSubrange(target..<min(target + moved.count, file.count), with: moved)
            }
        }
        return file
    }

    /// The records of the blocks that are still in a damaged file, byte for byte, and whether the snapshot's id is, too.
    private func untouched(_ file: [UInt8], of state: Collections, in damaged: [UInt8]) throws -> (Collections, Bool) {
        var found: Collections = [:]
        let reader = try snapshotReader(file)
        let whole = Data(damaged)
        var isIdentified = damaged.count >= 64 && damaged[24..<40] == file[24..<40]
        for section in try sectionsOf(file) {
            // What is at its place may be a longer run of the same bytes, so any place is as good.
            guard whole.range(of: Data(file[section.range])) != nil else { continue }
            switch section.head.kind {
            case .records:
                let name = reader.names[section.head.collection]
                var block = try BlockReader(
                    Array(section.content[8...]), byteCount: 1 << 20, count: section.head.count,
                    decompressor: ZstdFrameDecompressor())
                var (key, value): ([UInt8], [UInt8]) = ([], [])
                for _ in 0..<section.head.count {
                    _ = try block.next(key: &key, value: &value)
                    found[name, default: [:]][key] = value
                }
            case .manifest, .footer: isIdentified = true
            }
        }
        return (found, isIdentified)
    }

    /// Damages random snapshots. Returns how many records came back that never were so, and how many of undamaged blocks did not.
    private func run(_ seeds: Range<UInt64>, isChecked: Bool = true) throws -> (wrong: Int, missing: Int, saved: Int) {
        var (wrong, missing, saved) = (0, 0, 0)
        for seed in seeds {
            var random = RandomRecords(seed: seed)
            let state = SnapshotState(collections: random.collections(atMost: 60))
            var later = state
            later.sequence += 1
            for name in later.collections.keys.sorted() {
                for key in (later.collections[name] ?? [:]).keys.sorted(by: { $0.precedes($1) }) where random.chance(3)
                {
                    later.collections[name]?[key] = random.value(odd: false)
                }
            }
            let (level, limit) = (random.chance(2) ? 0 : 3, 1 + random.below(9))
            let file = try state.file(level: level, blockLimit: limit)
            let other = try later.file(level: level, blockLimit: limit)
            let damaged = damage(file, &random, splicing: other)
            let found = try trusted(damaged, isChecked: isChecked) ?? [:]
            for (name, records) in found {
                wrong += records.count { state.collections[name]?[$0.key] != $0.value }
                saved += records.count
            }
            let (untouched, isIdentified) = try untouched(file, of: state.collections, in: damaged)
            // Without the id no checksum can be computed.
            guard isIdentified else { continue }
            for (name, records) in untouched { missing += records.count { found[name]?[$0.key] != $0.value } }
        }
        return (wrong, missing, saved)
    }

    @Test("Every record of an undamaged block comes back, and none that never was so", arguments: 0..<8)
    func randomDamage(part: UInt64) throws {
        let result = try run(part * 40..<part * 40 + TestBudget.range(40, quick: 10).upperBound)
        #expect(result.wrong == 0)
        #expect(result.missing == 0)
        #expect(result.saved > 100)
    }

    @Test("Without the checksums of blocks, wrong records come back")
    func negativeControl() throws {
        #expect(try run(0..<120, isChecked: false).wrong > 0)
    }

    @Test(
        "Of a damaged snapshot of version 1, only collections with the right count and digest come back",
        arguments: 0..<12)
    func version1(seed: UInt64) throws {
        var random = RandomRecords(seed: seed)
        let state = SnapshotState(collections: random.collections(atMost: 30))
        let whole = try state.file(level: random.chance(2) ? 0 : 3, blockLimit: 1 + random.below(20))
        let file = try inVersion1(whole)
        #expect(try salvage(write(file, to: "a.snapshot")).records == state.collections)
        // One changed byte in one block costs its collection and no other.
        let sections = try sectionsOf(whole).filter { $0.head.kind != .footer }
        if sections.count > 1 {
            let number = 1 + random.below(sections.count - 1)
            let block = sections[number]
            var damaged = file
            // Heads are eight bytes shorter.
            let start = block.range.upperBound - block.content.count - 8 * (number + 1)
            damaged[start + random.below(block.content.count)] ^= 1 << UInt8(random.below(8))
            let name = try snapshotReader(whole).names[block.head.collection]
            let (report, records) = try salvage(write(damaged, to: "b.snapshot"))
            // The bit may be one that no record depends on.
            var others = state.collections
            if records[name] == nil { others[name] = nil }
            #expect(records == others)
            #expect(report.missing == (others[name] == nil ? state.collections[name]?.count ?? 0 : 0))
        }
        for _ in 0..<2 {
            let damaged = damage(file, &random, splicing: whole)
            guard let (_, records) = try? salvage(write(damaged, to: "c.snapshot")) else { continue }
            for (name, found) in records { #expect(found == state.collections[name]) }
        }
    }

    @Test(
        "A snapshot that is cut short gives the blocks before the cut, and the report says how many records are missing"
    )
    func truncation() throws {
        var random = RandomRecords(seed: 3)
        var tasks: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<100 { tasks[random.key(0)] = random.value(odd: false) }
        let state = SnapshotState(collections: ["tasks": tasks, "z": [[1]: [1]]])
        let file = try state.file(blockLimit: 10)
        let blocks = try sectionsOf(file).filter { $0.head.kind == .records }
        for (number, block) in blocks.enumerated() {
            let (report, records) = try salvage(write(Array(file[..<block.range.upperBound]), to: "cut.snapshot"))
            let saved = min(100, (number + 1) * 10)
            #expect(records["tasks"]?.count == saved)
            #expect(report.collections.first { $0.name == "tasks" }?.missing == 100 - saved)
            #expect(report.missing == 101 - saved - (number == blocks.count - 1 ? 1 : 0))
            #expect(report.isComplete == (number == blocks.count - 1))
        }
        #expect(throws: FileError.notASnapshot(path: "\(folder.path)/cut.snapshot")) {
            try salvage(write([], to: "cut.snapshot"))
        }
        #expect(
            throws: FileError.damagedSnapshot(
                path: "\(folder.path)/cut.snapshot", reason: "nothing in it has a valid checksum")
        ) {
            try salvage(write(Array(file[..<100]), to: "cut.snapshot"))
        }
    }

    @Test("Without header and manifest, the blocks of known collections come back")
    func lostBeginning() throws {
        var random = RandomRecords(seed: 4)
        let state = SnapshotState(collections: ["tasks": [random.key(0): random.value(odd: false)], "z": [[1]: [1]]])
        var file = try state.file(level: 0)
        let end = try sectionsOf(file)[0].range.upperBound
        for place in 0..<end { file[place] = 0 }
        #expect(try trusted(file) == state.collections)
        // The id of the snapshot is then in the footer alone.
        file.removeLast(60)
        #expect(try trusted(file) == nil)
    }

    @Test("A snapshot of a later version is refused, and one whose version is damaged is not")
    func versions() throws {
        let state = SnapshotState(collections: ["z": [[1]: [1]]])
        var file = try state.file()
        file[8] = 7
        #expect(try salvage(write(file, to: "a.snapshot")).records == state.collections)
        // What a later version writes does not pass for version 2.
        for section in try sectionsOf(try state.file()) { file[section.range.lowerBound + 1] = 7 }
        #expect(throws: FileError.newerSnapshot(path: "\(folder.path)/a.snapshot", found: 7, supported: 2)) {
            try salvage(write(file, to: "a.snapshot"))
        }
    }

    // MARK: Chains

    /// Three states of a store, each with the snapshot that continues the one before.
    private func chain(_ random: inout RandomRecords) throws -> [(state: SnapshotState, file: [UInt8])] {
        var state = SnapshotState(collections: random.collections(atMost: 40))
        state.collections["tasks", default: [:]][random.key(0)] = random.value(odd: false)
        let limit = 1 + random.below(6)
        var links = [(state: state, file: try state.file(blockLimit: limit))]
        for number in 1...2 {
            state.sequence += 1
            for name in state.collections.keys.sorted() {
                for key in (state.collections[name] ?? [:]).keys.sorted(by: { $0.precedes($1) }) {
                    if random.chance(6) { state.collections[name]?[key] = nil }
                    if random.chance(4) { state.collections[name]?[key] = random.value(odd: false) }
                }
                if state.collections[name]?.isEmpty ?? false { state.collections[name] = nil }
            }
            state.collections["new", default: [:]][[UInt8(number)]] = [1]
            let last = links[number - 1]
            let file = try state.file(
                since: last.state, last.file, named: "\(number - 1).snapshot", blockLimit: limit)
            links.append((state, file))
        }
        return links
    }

    @Test("Nothing that a lost block of a later snapshot may have changed comes back unproved", arguments: 0..<30)
    func chains(seed: UInt64) throws {
        var random = RandomRecords(seed: seed)
        let links = try chain(&random)
        let damaged = random.below(3)
        let isOld = random.chance(3)
        for (number, link) in links.enumerated() {
            var file = isOld ? try inVersion1(link.file) : link.file
            if number == damaged { file = damage(file, &random, splicing: links[0].file) }
            _ = try write(file, to: "\(number).snapshot")
        }
        let last = links[2].state.collections
        guard let (report, records) = try? salvage("\(folder.path)/2.snapshot") else {
            #expect(damaged == 2)
            return
        }
        for (name, found) in records {
            for (key, value) in found { #expect(last[name]?[key] == value, "\(name)") }
        }
        let stated = damaged != 2 || report.collections.contains { $0.isProvedComplete != nil }
        if stated, records != last { #expect(!report.isComplete) }
        if report.isComplete { #expect(records == last) }
        // What was changed last is in an intact snapshot.
        if damaged == 0, !isOld {
            for name in last.keys {
                for (key, value) in last[name] ?? [:] where links[0].state.collections[name]?[key] != value {
                    #expect(records[name]?[key] == value)
                }
            }
        }
    }

    @Test("Without its base, an incremental snapshot gives what it has, and --deleted what may be outdated")
    func missingBase() throws {
        let first = SnapshotState(collections: ["z": [[1]: [1], [2]: [2], [3]: [3]]])
        var second = first
        second.sequence += 1
        second.collections["z"] = [[1]: [1], [2]: [20], [4]: [4]]
        let base = try first.file()
        let next = try second.file(since: first, base, named: "0.snapshot", blockLimit: 1)
        let path = try write(next, to: "1.snapshot")
        let (report, records) = try salvage(path)
        #expect(report.missingBase == "0.snapshot")
        #expect(records == ["z": [[2]: [20], [4]: [4]]])
        #expect(report.missing == 1)
        #expect(!report.isComplete)

        // The base is found by its name although its header is gone; the change of [2] and the deletion of [3] are lost.
        _ = try write(Array(repeating: 0, count: 64) + base[64...], to: "0.snapshot")
        var damaged = next
        for section in try sectionsOf(next) where section.head.kind == .records {
            let isLost = section.range.lowerBound < (try sectionsOf(next))[3].range.lowerBound
            if isLost { damaged[section.range.upperBound - 1] ^= 1 }
        }
        let doubtful = try salvage(write(damaged, to: "1.snapshot"))
        #expect(doubtful.records == ["z": [[4]: [4]]])
        #expect(doubtful.report.collections.map(\.missingKeys) == [["01", "02", "03"]])
        #expect(doubtful.report.missing == 2)
        let former = try salvage(path, takesDeleted: true)
        #expect(former.records == ["z": [[1]: [1], [2]: [2], [3]: [3], [4]: [4]]])
        #expect(former.report.collections.map(\.formerKeys) == [["01", "02", "03"]])
        #expect(!former.report.isComplete)
    }

    // MARK: Encryption

    @Test("Of an encrypted snapshot, what is in undamaged chunks comes back")
    func encrypted() throws {
        var random = RandomRecords(seed: 8)
        var records: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<300 { records[random.key(0)] = [1, 1, 6, 0xE8, 3, 0, 0] + random.bytes(1000) }
        let state = SnapshotState(collections: ["tasks": records])
        let plain = try state.file(level: 0, blockLimit: 5)
        let passphrase = try #require(Passphrase(bytes("correct horse")))
        let manifest = try snapshotReader(plain).manifest
        let output = Output()
        var sink = EncryptedSink(
            header: SnapshotHeader(manifest, isEncrypted: true).bytes, passphrase: passphrase,
            head: EncryptionHead(random: SeededRandomSource(seed: 1), cost: 10), path: "a"
        ) { (bytes) throws(FileError) in output.chunks.append(bytes) }
        try sink.write(Array(plain[64...]))
        try sink.finish()
        let file = Array(output.chunks.joined())
        #expect(file.count > 4 * 65_552)
        let whole = try salvage(write(file, to: "a.snapshot"), passphrase: passphrase)
        #expect(whole.records == state.collections)
        var damaged = file
        damaged[88 + 65_552 + 7] ^= 1
        damaged.removeLast(1000)
        let (report, found) = try salvage(write(damaged, to: "a.snapshot"), passphrase: passphrase)
        #expect(found["tasks"]?.allSatisfy { records[$0.key] == $0.value } ?? false)
        #expect((150...250).contains(found["tasks"]?.count ?? 0))
        #expect(report.missing == 300 - (found["tasks"]?.count ?? 0))
        #expect(throws: FileError.passphraseNeeded(path: "\(folder.path)/a.snapshot")) {
            try salvage("\(folder.path)/a.snapshot")
        }
        #expect(throws: FileError.notDecryptable(path: "\(folder.path)/a.snapshot")) {
            try salvage("\(folder.path)/a.snapshot", passphrase: Passphrase(bytes("wrong")))
        }
    }
}

import CivilTime
import Foundation
import Injection
import KeyValue
import TestSupport
import Testing

@testable import Records

@Suite struct SalvageTests {
    private static let pageSize = 4096

    /// A closed store with a history: readings that were put, changed and deleted in many transactions, so that former copies of
    /// most pages are on free ones.
    private struct Damageable {
        let opened: TestStore
        let readings: [UUID: Reading]
        let file: URL
        let bytes: [UInt8]

        init(count: UInt64 = 300, changes: Int = 60, seed: UInt64 = 1) async throws {
            var dice = Dice(seed: seed)
            // No page is used again before a checkpoint of the commit log, so that there would be fewer former copies.
            var options = StoreOptions()
            options.commitLog = .never
            opened = try TestStore(options: options)
            for start in stride(from: UInt64(0), to: count, by: 50) {
                try await opened.store.write { transaction in
                    for number in start..<min(start + 50, count) {
                        let at = TestStore.start.advanced(bySeconds: Int64(number) * 60)
                        try transaction.put(Reading(number, at: at, level: Int32(number % 7)))
                    }
                }
            }
            for change in 0..<changes {
                let number = UInt64(dice.below(Int(count)))
                let level = Int32(change)
                try await opened.store.write { transaction in
                    guard var reading = try transaction[Reading.self].get(uuid(number)) else { return }
                    if change % 9 == 8 {
                        try transaction.delete(Reading.self, id: reading.id)
                        return
                    }
                    reading.level = level
                    try transaction.put(reading)
                }
            }
            // On pages that nothing has used since.
            try await opened.store.write { transaction in
                for number in [2, 3, 40] { try transaction.delete(Reading.self, id: uuid(UInt64(number) % count)) }
            }
            readings = try opened.readings()
            opened.store.close()
            file = URL(fileURLWithPath: "\(opened.folder.store)/data.mdb")
            bytes = Array(try Data(contentsOf: file))
        }

        var pages: Int { bytes.count / SalvageTests.pageSize }

        func salvage(
            _ damaged: [UInt8], takingDeleted: Bool = false, breaking point: InjectionPoint? = nil
        ) throws -> (report: SalvageReport, readings: [UUID: Reading], problems: [String]) {
            try Data(damaged).write(to: file)
            let place = TemporaryFolder(on: .memory)
            var options = SalvageOptions(takesDeleted: takingDeleted)
            options.injectionPoint = ArmedInjectionPoints(point)
            let report = try RecordStore.salvage(
                opened.folder.store, to: place.store, schema: Reading.schema,
                context: .test(clock: SettableClock(TestStore.start)), options: options)
            let saved = try TestStore(folder: place)
            return (report, try saved.readings(), try saved.store.verify().problems)
        }
    }

    @Test("Of an undamaged store everything comes back, and undo goes on")
    func undamaged() async throws {
        let store = try await Damageable()
        let place = TemporaryFolder(on: .memory)
        let report = try RecordStore.salvage(
            store.opened.folder.store, to: place.store, schema: Reading.schema,
            context: .test(clock: SettableClock(TestStore.start)))
        #expect(report.isComplete && report.changesLost == 0 && report.damagedPages == 0)
        #expect(report.collections.map(\.isProvedComplete) == [true])
        let saved = try TestStore(folder: place)
        #expect(try saved.readings() == store.readings)
        #expect(try saved.store.verify().problems == [])
        let original = try TestStore(folder: store.opened.folder)
        try await original.store.write { try $0.undo() }
        try await saved.store.write { try $0.undo() }
        #expect(try saved.readings() == original.readings())
        #expect(try saved.store.information().lastSequence == original.store.information().lastSequence)
    }

    /// One damage of each of the kinds that disks make.
    static func damage(_ bytes: [UInt8], _ dice: inout Dice) -> (kind: String, bytes: [UInt8], pages: Set<Int>) {
        var damaged = bytes
        let pages = bytes.count / pageSize
        let page = dice.below(pages)
        let start = page * pageSize
        switch dice.below(7) {
        case 0:
            damaged[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8))
            return ("bit", damaged, Set(damaged.indices.filter { damaged[$0] != bytes[$0] }.map { $0 / pageSize }))
        case 1:
            damaged[start + dice.below(pageSize)] = UInt8(dice.below(256))
            return ("byte", damaged, [page])
        case 2:
            let sector = start + dice.below(8) * 512
            for offset in sector..<(sector + 512) { damaged[offset] = UInt8(dice.below(256)) }
            return ("sector", damaged, [page])
        case 3:
            for offset in start..<(start + 16) { damaged[offset] = UInt8(dice.below(256)) }
            return ("header", damaged, [page])
        case 4:
            damaged.replaceSubrange(start..<(start + pageSize), with: repeatElement(0, count: pageSize))
            return ("zeros", damaged, [page])
        case 5:
            let other = dice.below(pages) * pageSize
            for offset in 0..<pageSize { damaged.swapAt(start + offset, other + offset) }
            // Both are still there.
            return ("swap", damaged, [])
        default:
            let length = max(pageSize, bytes.count - dice.below(bytes.count / 2))
            return ("cut", Array(damaged[..<length]), Set((length / pageSize)..<pages))
        }
    }

    @Test("Whatever is damaged, nothing wrong comes back, and at least what is on untouched pages does [S-10, S-61]")
    func anyDamage() async throws {
        let store = try await Damageable()
        var dice = Dice(seed: 19)
        var (complete, trials) = (0, 0)
        for _ in 0..<TestBudget.count(150, long: 3000) {
            let (kind, damaged, touched) = Self.damage(store.bytes, &dice)
            let (report, readings, problems) = try store.salvage(damaged)
            #expect(problems == [], "\(kind) of \(touched)")
            for (id, reading) in readings where kind != "cut" {
                #expect(store.readings[id] == reading, "\(kind) of \(touched)")
            }
            let places = try places(in: store)
            for (id, pages) in places where pages.isDisjoint(with: touched) && kind != "cut" {
                #expect(readings[id] != nil, "\(kind) of \(touched): \(id)")
            }
            if report.isComplete, kind != "cut" { #expect(readings == store.readings, "\(kind) of \(touched)") }
            if readings == store.readings { complete += 1 }
            trials += 1
        }
        #expect(complete * 10 >= trials * 8, "\(complete) of \(trials)")
    }

    /// The pages that the readings of the undamaged store are on.
    private func places(in store: Damageable) throws -> [UUID: Set<Int>] {
        let whole = TemporaryFolder(on: .memory)
        try FileManager.default.createDirectory(atPath: whole.store, withIntermediateDirectories: true)
        try Data(store.bytes).write(to: URL(fileURLWithPath: "\(whole.store)/data.mdb"))
        let survey = try PageSurvey(of: "\(whole.store)/data.mdb", orderedBy: ChangeLog.tableName)
        var places: [UUID: Set<Int>] = [:]
        let tables = survey.tables.map(\.name)
        try survey.forEachPage(wanting: { $0.map { tables[$0] == "readings" } ?? false }) { page in
            for number in 0..<page.count {
                try page.withEntry(number) { key, _ in
                    var decoder = KeyDecoder(key)
                    places[try UUID(decoding: &decoder)] = Set(page.positions(ofEntry: number))
                }
            }
        }
        return places
    }

    @Test("Without its meta pages, its end and `store.json` a store is salvaged all the same")
    func withoutMetaPages() async throws {
        let store = try await Damageable()
        var damaged = store.bytes
        damaged.replaceSubrange(0..<(2 * Self.pageSize), with: repeatElement(0xA5, count: 2 * Self.pageSize))
        try FileManager.default.removeItem(atPath: "\(store.opened.folder.store)/store.json")
        let (report, readings, problems) = try store.salvage(damaged)
        #expect(readings == store.readings)
        #expect(problems == [])
        #expect(report.isComplete)

        // Former copies make up for much of what is cut off, but not for all.
        let (cut, fewer, _) = try store.salvage(Array(damaged[..<(damaged.count / 4 + 100)]))
        #expect(fewer.count < store.readings.count)
        #expect(!fewer.isEmpty)
        #expect(cut.records == fewer.count)
    }

    @Test(
        "Without either meta page the newest state comes back, also where the change log does not tell which one that is",
        arguments: 1...6, [0, 1])
    func withoutOneMetaPage(drafts: Int, lost: Int) async throws {
        var options = StoreOptions()
        options.commitLog = .never
        let schema = Reading.schema.adding(Draft.collection)
        let opened = try TestStore(schema: schema, options: options)
        for number in 0..<40 {
            try await opened.store.write { try $0.put(Reading(UInt64(number), at: TestStore.start, level: 1)) }
        }
        // They are in no change log.
        for number in 0..<drafts { try await opened.store.write { try $0.put(Draft(1, "text \(number)")) } }
        opened.store.close()
        let file = URL(fileURLWithPath: "\(opened.folder.store)/data.mdb")
        var damaged = try Data(contentsOf: file)
        damaged.replaceSubrange((lost * Self.pageSize)..<((lost + 1) * Self.pageSize), with: Data(count: Self.pageSize))
        try damaged.write(to: file)
        let place = TemporaryFolder(on: .memory)
        let report = try RecordStore.salvage(
            opened.folder.store, to: place.store, schema: schema, context: .test(clock: SettableClock(TestStore.start)))
        let saved = try TestStore(schema: schema, folder: place)
        #expect(try saved.store.read { try $0[Draft.self].get(uuid(1)) } == Draft(1, "text \(drafts - 1)"))
        #expect(try saved.readings().count == 40)
        #expect(report.isComplete)
    }

    @Test("What was deleted stays deleted, unless it is asked for")
    func deleted() async throws {
        let store = try await Damageable()
        let (report, readings, _) = try store.salvage(store.bytes, takingDeleted: true)
        let back = readings.filter { store.readings[$0.key] == nil }
        #expect(!back.isEmpty)
        #expect(report.collections[0].formerKeys.count == back.count)
        #expect(!report.isComplete)
        for (id, reading) in store.readings { #expect(readings[id] == reading) }
    }

    @Test(
        "A lost page of records comes back from former copies, as far as indexes prove that they are the last versions")
    func provedCopies() async throws {
        let store = try await Damageable()
        let pages = Set(try places(in: store).values.flatMap(\.self)).sorted()
        var (proved, wrong) = (0, 0)
        for page in pages {
            var damaged = store.bytes
            damaged.replaceSubrange(
                (page * Self.pageSize)..<((page + 1) * Self.pageSize), with: repeatElement(0, count: Self.pageSize))
            let (report, readings, problems) = try store.salvage(damaged)
            proved += report.collections[0].provedCopies
            #expect(problems == [])
            for (id, reading) in readings { #expect(store.readings[id] == reading) }
            #expect(report.missing == store.readings.count - readings.count)
            #expect(report.collections[0].missingKeys.count == report.missing)
            // Without the proof, outdated copies come back.
            let (_, any, _) = try store.salvage(damaged, breaking: .salvagesAnyVersion)
            wrong += any.count { store.readings[$0.key] != $0.value }
        }
        #expect(proved > 0)
        #expect(wrong > 0)
    }

    @Test("A damaged record of which there is no other copy is in quarantine, as it was found")
    func quarantined() async throws {
        let store = try await Damageable(count: 20, changes: 0)
        let (id, reading) = try #require(store.readings.first)
        // Its only bytes, wherever they are.
        var damaged = store.bytes
        let value = Array(reading.fieldBytes)
        for start in 0..<(damaged.count - value.count) where Array(damaged[start..<(start + value.count)]) == value {
            damaged[start + 4] ^= 0x20
            damaged[start + 6] ^= 0x01
        }
        let (report, readings, problems) = try store.salvage(damaged)
        #expect(problems == [])
        #expect(readings == store.readings.filter { $0.key != id })
        #expect(report.collections[0].quarantinedKeys == [hexadecimal(id.keyBytes.array)])
        #expect(report.missing == 0 && !report.isComplete)
        let (_, unchecked, _) = try store.salvage(damaged, breaking: .salvagesUnchecked)
        #expect(unchecked[id] != nil && unchecked[id] != reading)
    }

    @Test("A damaged byte of a record's key, value or checksum is put right, as the sum of all hashes proves")
    func corrected() async throws {
        let store = try await Damageable(count: 12, changes: 0)
        for (id, reading) in store.readings.prefix(4) {
            let entry = Array(id.keyBytes.array) + Array(reading.fieldBytes)
            for place in stride(from: 0, to: entry.count + 4, by: 3) {
                var damaged = store.bytes
                for start in 0..<(damaged.count - entry.count)
                where Array(damaged[start..<(start + entry.count)]) == entry {
                    damaged[start + place] ^= 0x5A
                }
                let (report, readings, problems) = try store.salvage(damaged)
                #expect(readings == store.readings, "byte \(place)")
                #expect(problems == [])
                #expect(report.isComplete && report.collections[0].correctedKeys.count == 1)
            }
        }
    }

    @Test("A file of something else, an empty one and a store of a newer version are refused, and nothing is left")
    func refused() async throws {
        let store = try await Damageable(count: 3, changes: 0)
        var dice = Dice(seed: 3)
        for bytes in [[], [UInt8](repeating: 7, count: 50), (0..<40_000).map { _ in UInt8(dice.below(256)) }] {
            #expect(throws: RecordsError.self) { try store.salvage(bytes) }
        }
        try Data(store.bytes).write(to: store.file)
        let place = TemporaryFolder(on: .memory)
        let newer = try TestStore(
            schema: Schema(version: 7).adding(Reading.schema), folder: store.opened.folder)
        newer.store.close()
        #expect(throws: RecordsError.self) {
            try RecordStore.salvage(
                store.opened.folder.store, to: place.store, schema: Reading.schema,
                context: .test(clock: SettableClock(TestStore.start)))
        }
        #expect(!FileManager.default.fileExists(atPath: place.store))
    }

    @Test("A follower that tells others of changes knows the new store only if nothing is missing in it")
    func followers() async throws {
        let store = try await Damageable()
        let key = Array("follower/test".utf8)
        let reopened = try TestStore(folder: store.opened.folder)
        try await reopened.store.checksummedPut("meta", key, [1, 2, 3])
        reopened.store.close()
        let whole = Array(try Data(contentsOf: store.file))
        func salvage(_ damaged: [UInt8]) throws -> (isKept: Bool, report: SalvageReport) {
            try Data(damaged).write(to: store.file)
            let place = TemporaryFolder(on: .memory)
            let report = try RecordStore.salvage(
                store.opened.folder.store, to: place.store, schema: Reading.schema,
                context: .test(clock: SettableClock(TestStore.start)))
            let saved = try TestStore(folder: place)
            return (try saved.store.rawEntries("meta").contains { $0.key == key }, report)
        }
        let (isKept, report) = try salvage(whole)
        #expect(isKept && report.isProvedComplete)
        var missed = false
        for page in Set(try places(in: store).values.flatMap(\.self)).sorted() {
            var damaged = whole
            damaged.replaceSubrange(
                (page * Self.pageSize)..<((page + 1) * Self.pageSize), with: repeatElement(0, count: Self.pageSize))
            let (isKept, report) = try salvage(damaged)
            #expect(isKept == report.isProvedComplete)
            if report.missing > 0 {
                missed = true
                #expect(!isKept)
            }
        }
        #expect(missed)
    }

    @Test("The damaged store is not changed")
    func unchanged() async throws {
        let store = try await Damageable()
        var damaged = store.bytes
        damaged[5 * Self.pageSize + 11] ^= 1
        _ = try store.salvage(damaged)
        #expect(try Array(Data(contentsOf: store.file)) == damaged)
    }
}

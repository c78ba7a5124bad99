import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct IdentifierTests {
    @Test("A million ids ascend and are unique, also when the clock steps backward [S-46]")
    func ascending() {
        let clock = SettableClock(TestStore.start)
        let generator = IdentifierGenerator(context: .test(clock: clock))
        var last: (UInt64, UInt64) = (0, 0)
        var isAscending = true
        var isVersion7 = true
        for number in 0..<1_000_000 {
            if number % 1000 == 0 { clock.advance(byMicroseconds: 700) }
            if number == 300_000 { clock.setWall(TestStore.start.advanced(bySeconds: -86_400)) }
            if number == 600_000 { clock.setWall(TestStore.start.advanced(bySeconds: 86_400 * 365)) }
            if number == 800_000 { clock.setWall(TestStore.start) }
            let halves = generator.next().bigEndianHalves
            // Ascending means without a repetition, too.
            isAscending = isAscending && last < (halves.high, 0) && last.0 < halves.high
            isVersion7 = isVersion7 && halves.high >> 12 & 0xF == 7 && halves.low >> 62 == 2
            last = (halves.high, 0)
        }
        #expect(isAscending)
        #expect(isVersion7)
    }

    @Test("An id begins with the wall clock in milliseconds [S-46]")
    func time() {
        let clock = SettableClock(TestStore.start)
        let generator = IdentifierGenerator(context: .test(clock: clock))
        let milliseconds = generator.next().bigEndianHalves.high >> 16
        #expect(Int64(milliseconds) == TestStore.start.microsecondsSince1970 / 1000)
    }

    @Test("Several tasks at once get different ids [S-46]")
    func concurrent() async {
        let generator = IdentifierGenerator(context: .test(clock: SettableClock(TestStore.start)))
        let ids = await withTaskGroup(of: [UUID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<2000).map { _ in generator.next() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(ids).count == 16_000)
    }

    @Test("Inserting a record with an existing id is refused [S-46]")
    func duplicate() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        await #expect(throws: RecordsError.duplicate(collection: "readings", key: hexadecimal(uuid(1).keyBytes.array)))
        {
            try await opened.store.write { try $0.insert(Reading(1, level: 5)) }
        }
        #expect(try opened.readings() == [uuid(1): Reading(1)])
    }
}

@Suite struct PagingTests {
    @Test("500 records by pages of 20 equal one full fetch [S-12]")
    func pages() async throws {
        let opened = try TestStore()
        try await opened.store.write { transaction in
            for number in 0..<500 { try transaction.put(Reading(UInt64(number) * 3)) }
        }
        var paged: [UUID] = []
        while true {
            let page = try opened.store.read { [last = paged.last] in try $0[Reading.self].page(after: last) }
            paged += page.map(\.id)
            if page.count < 20 { break }
        }
        #expect(paged == (0..<500).map { uuid($0 * 3) })
        #expect(try opened.store.read { try $0[Reading.self].page(limit: .max).count } == 500)
        #expect(try opened.store.read { try $0[Reading.self].page(limit: 0).isEmpty })
    }

    @Test("Records that are added or removed between pages neither repeat nor hide others [S-12]", arguments: 1...5)
    func changesBetweenPages(seed: Int) async throws {
        let opened = try TestStore()
        var dice = Dice(UInt64(seed))
        try await opened.store.write { transaction in
            for number in 0..<300 { try transaction.put(Reading(UInt64(number) * 10)) }
        }
        var untouched = Set((0..<300).map { uuid($0 * 10) })
        var paged: [UUID] = []
        while true {
            let page = try opened.store.read { [last = paged.last] in try $0[Reading.self].page(after: last) }
            paged += page.map(\.id)
            if page.count < 20 { break }
            let added = uuid(dice.below(3000) | 1)
            // The last one of the page goes, too: its place must not be lost with it.
            let removed = dice.chance(30) ? paged[paged.count - 1] : uuid(dice.below(300) * 10)
            if !paged.contains(removed) { untouched.remove(removed) }
            try await opened.store.write { transaction in
                try transaction.delete(Reading.self, id: removed)
                var reading = Reading(0)
                reading.id = added
                try transaction.put(reading)
            }
        }
        #expect(Set(paged).count == paged.count)
        #expect(untouched.isSubset(of: paged))
        #expect(paged == paged.sorted { $0.uuidString < $1.uuidString })
    }

    @Test("Ids are found by their first bytes, up to the limit")
    func prefixes() async throws {
        let opened = try TestStore()
        try await opened.store.write { transaction in
            for number in 0..<1000 { try transaction.put(Reading(UInt64(number))) }
        }
        try opened.store.read { (transaction) throws in
            let zeros = [UInt8](repeating: 0, count: 14)
            #expect(try transaction[Reading.self].ids(beginning: zeros + [2], limit: .max) == (512..<768).map(uuid))
            #expect(try transaction[Reading.self].ids(beginning: zeros + [2], limit: 3) == (512..<515).map(uuid))
            #expect(try transaction[Reading.self].ids(beginning: [1], limit: .max).isEmpty)
            #expect(try transaction[Reading.self].ids(beginning: zeros + [3, 231], limit: .max) == [uuid(999)])
        }
    }
}

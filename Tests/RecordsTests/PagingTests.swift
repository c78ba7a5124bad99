import CivilTime
import Foundation
import Testing

@testable import Records

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
            let added = uuid(UInt64(dice.below(3000)) | 1)
            // The last one of the page goes, too: its place must not be lost with it.
            let removed = dice.chance(30) ? paged[paged.count - 1] : uuid(UInt64(dice.below(300)) * 10)
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

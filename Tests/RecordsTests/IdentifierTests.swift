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

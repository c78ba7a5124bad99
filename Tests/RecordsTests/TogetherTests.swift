import KeyValue
import Testing

@testable import Records

@Suite struct TogetherTests {
    private struct Refusal: Error {}

    @Test("Several changes share one commit, and each has its row in the change log")
    func oneCommit() throws {
        let opened = try TestStore()
        let before = opened.store.environment.statistics.lastTransaction
        let answers = opened.store.writeTogether(
            (0..<20 as Range<UInt8>).map { number in
                (
                    ChangeLabel(operation: number),
                    { @Sendable in try $0.put(Reading(UInt64(number), at: TestStore.start)) }
                )
            })
        for answer in answers { try answer.get() }
        #expect(opened.store.environment.statistics.lastTransaction == before + 1)
        #expect(try opened.readings().count == 20)
        #expect(try opened.store.information().lastSequence == 20)
        #expect(try opened.store.verify().isClean)
    }

    @Test("A closure that throws affects no other and leaves no row")
    func neighbours() throws {
        let opened = try TestStore()
        let answers = opened.store.writeTogether([
            (ChangeLabel(), { @Sendable in try $0.put(Reading(1, at: TestStore.start)) }),
            (
                ChangeLabel(),
                { @Sendable in
                    try $0.put(Reading(2, at: TestStore.start))
                    throw Refusal()
                }
            ),
            (ChangeLabel(), { @Sendable in try $0.put(Reading(3, at: TestStore.start)) }),
        ])
        #expect(throws: Refusal.self) { try answers[1].get() }
        try answers[0].get()
        try answers[2].get()
        #expect(try opened.readings().keys.sorted { $0.uuidString < $1.uuidString } == [uuid(1), uuid(3)])
        #expect(try opened.store.information().lastSequence == 2)
        #expect(try opened.store.verify().isClean)
    }

    @Test("A read-only store and a closed store refuse every closure")
    func refused() throws {
        let opened = try TestStore()
        let reader = try TestStore(folder: opened.folder, options: StoreOptions(isReadOnly: true))
        #expect(throws: RecordsError.engine(.readOnly)) {
            try reader.store.writeTogether([(ChangeLabel(), { @Sendable _ in })])[0].get()
        }
        opened.store.close()
        #expect(throws: RecordsError.engine(.closed)) {
            try opened.store.writeTogether([(ChangeLabel(), { @Sendable _ in })])[0].get()
        }
    }
}

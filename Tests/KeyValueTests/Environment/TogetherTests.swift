import KeyValue
import Testing

private struct Refusal: Error, Equatable {}

/// Whether a write succeeded; nil for an error that is not the engine's.
private func error(of answer: Result<Void, any Error>) -> (any Error)? {
    if case .failure(let error) = answer { error } else { nil }
}

struct TogetherTests {
    @Test("Closures share one commit")
    func closuresShareOneCommit() throws {
        let store = try TestStore()
        let table = store.table
        let before = store.lastTransaction
        let answers = store.environment.writeTogether(
            (0..<50 as Range<UInt8>).map { number in { try $0.put([number], [number], in: table) } })
        #expect(answers.count == 50)
        #expect(answers.allSatisfy { error(of: $0) == nil })
        #expect(store.lastTransaction == before + 1)
        try #expect(store.contents().count == 50)
    }

    @Test("A closure that throws gets its error and does not affect the others")
    func oneThatThrowsHearsItsErrorAndLeavesItsNeighbours() throws {
        let store = try TestStore()
        let table = store.table
        let before = store.lastTransaction
        let answers = store.environment.writeTogether([
            { try $0.put([1], [1], in: table) },
            {
                try $0.put([1], [2], in: table)
                try $0.put([2], [2], in: table)
                throw Refusal()
            },
            { try $0.put([3], [3], in: table) },
        ])
        #expect(answers.map { error(of: $0) is Refusal } == [false, true, false])
        #expect(error(of: answers[0]) == nil && error(of: answers[2]) == nil)
        #expect(store.lastTransaction == before + 1)
        try #expect(store.contents() == [[1]: [1], [3]: [3]])
    }

    @Test("Writing no closures does nothing")
    func nothingIsDoneForNothing() throws {
        let store = try TestStore()
        let before = store.lastTransaction
        #expect(store.environment.writeTogether([]).isEmpty)
        #expect(store.lastTransaction == before)
    }

    @Test("Inside a transaction every closure is refused")
    func insideATransactionEachIsRefused() throws {
        let store = try TestStore()
        let table = store.table
        let answers = try store.environment.read { _ in
            store.environment.writeTogether([
                { try $0.put([1], [1], in: table) }, { try $0.put([2], [2], in: table) },
            ])
        }
        #expect(answers.map { error(of: $0) as? KeyValueError } == [.nestedWrite, .nestedWrite])
        try #expect(store.contents().isEmpty)
    }

    @Test("After closing every closure is refused")
    func afterClosingEachIsRefused() throws {
        let store = try TestStore()
        store.environment.close()
        let answers = store.environment.writeTogether([{ _ in }, { _ in }])
        #expect(answers.map { error(of: $0) as? KeyValueError } == [.closed, .closed])
    }

    @Test("Closures that do not fit together run separately")
    func closuresThatDoNotFitTogetherAreTriedAlone() throws {
        let store = try TestStore(initial: 1 << 20, ceiling: 1 << 20)
        let table = store.table
        let answers = store.environment.writeTogether([
            { try $0.put([1], [1], in: table) },
            { try $0.put([2], [UInt8](repeating: 2, count: 2 << 20), in: table) },
            { try $0.put([3], [3], in: table) },
        ])
        #expect(answers.map { isStorageFull(error(of: $0) as? KeyValueError) } == [false, true, false])
        try #expect(store.contents().count == 2)
    }
}

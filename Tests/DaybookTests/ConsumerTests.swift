import Daybook
import Foundation
import Testing

@Suite struct ConsumerTests {
    private static let name = "MARKED-CONSUMER"

    private func storeWithConsumer() async throws -> TestDaybook {
        let opened = try TestDaybook()
        for number in 0..<5 { try await opened.tasks.create("\(number)") }
        _ = try await opened.daybook.consumer(Self.name, after: 3)
        return opened
    }

    /// A consumer of a copy of the store begins with the present state.
    private func expectNone(in copy: DaybookStore) async throws {
        #expect(try copy.consumers == [])
        #expect(try copy.verify().problems == [])
        let consumer = try await copy.consumer(Self.name)
        #expect(try consumer.position == 0)
        do {
            _ = try await consumer.changes().makeAsyncIterator().next()
            Issue.record("The consumer skipped the restored records.")
        } catch RecordsError.changesTrimmed {
            try await consumer.advance(to: copy.read { try $0.lastSequence() })
        }
        let task = try await copy.tasks.create("goes on")
        let change = try await consumer.changes().makeAsyncIterator().next()
        #expect(try change?.entries.map { try $0.id(as: Foundation.UUID.self) } == [task.id])
        copy.close()
    }

    @Test("A snapshot contains no consumers, and a restored store has none [S-30]")
    func snapshot() async throws {
        let opened = try await storeWithConsumer()
        let file = opened.folder.path + "/a.snapshot"
        try await opened.daybook.files.snapshot(to: file)
        let copy = opened.folder.path + "/copy"
        try await StoreFiles.restore(file, to: copy, context: opened.daybook.context)
        try await expectNone(in: DaybookStore.open(at: copy, context: opened.daybook.context))
        #expect(try opened.daybook.consumers.map(\.position) == [3])
    }

    @Test("A dump contains no consumers, and a loaded store has none")
    func dump() async throws {
        let opened = try await storeWithConsumer()
        let file = URL(filePath: opened.folder.path + "/a.ndjson")
        try opened.daybook.files.dump(to: file)
        #expect(try !String(contentsOf: file, encoding: .utf8).contains(Self.name))
        let copy = URL(filePath: opened.folder.path + "/copy")
        try StoreFiles.load(file, into: copy, context: opened.daybook.context)
        try await expectNone(in: DaybookStore.open(at: copy, context: opened.daybook.context))
    }

    @Test("A rebuild keeps the consumers")
    func rebuild() async throws {
        let opened = try await storeWithConsumer()
        try await opened.daybook.rebuild()
        #expect(try opened.daybook.consumers.map(\.name) == [Self.name])
        #expect(try opened.daybook.consumers.map(\.position) == [3])
    }
}

import Daybook
import Foundation
import Testing

/// A record type of an application that keeps its own data beside the tasks.
private struct Measurement: Record {
    var id: Foundation.UUID
    var value: Double

    static let collection = RecordCollection<Measurement>("readings") {
        Field(1, "value", .double)
    }

    init(id: Foundation.UUID, value: Double) {
        self.id = id
        self.value = value
    }

    init(id: Foundation.UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        value = try fields.double(1)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, value)
    }
}

/// Dumps and loads through the public interface.
@Suite struct DumpTests {
    private let records = Schema().adding(Measurement.collection)

    private func filledStore() async throws -> TestDaybook {
        let opened = try TestDaybook(records: records)
        for number in 0..<20 {
            let id = try await opened.tasks.create("Aufgabe \(number) 🌱").id
            if number % 3 == 0 { try await opened.tasks.complete(id) }
            if number % 5 == 0 { try await opened.tasks.delete(id) }
            try await opened.daybook.write { try $0.put(Measurement(id: Foundation.UUID(), value: Double(number) / 3)) }
        }
        return opened
    }

    private func url(_ name: String, of opened: TestDaybook) -> URL {
        URL(filePath: "\(opened.folder.path)/\(name)")
    }

    @Test("Loading a dump, compressed or not, gives every task in its place and every own record")
    func roundTrip() async throws {
        let opened = try await filledStore()
        let context = opened.daybook.context
        for name in ["dump.ndjson", "dump.ndjson.zst"] {
            let file = url(name, of: opened)
            let count = try opened.daybook.files.dump(to: file)
            let place = url("copy-of-\(name)", of: opened)
            let report = try StoreFiles.load(file, into: place, context: context, records: records)
            #expect(report.records == count && report.replaced == nil)
            let copy = try DaybookStore.open(at: place, context: context, records: records)
            #expect(try copy.verify().problems == [])
            let again = url("again.ndjson", of: opened)
            let first = url("first.ndjson", of: opened)
            try copy.files.dump(to: again, overwrite: true)
            try opened.daybook.files.dump(to: first, overwrite: true)
            func lines(_ file: URL) throws -> [Substring] {
                try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { $0 }
            }
            #expect(try lines(again) == lines(first))
            #expect(try copy.tasks.statistics() == opened.tasks.statistics())
            copy.close()
        }
        let plain = try Data(contentsOf: url("dump.ndjson", of: opened))
        let compressed = try Data(contentsOf: url("dump.ndjson.zst", of: opened))
        #expect(compressed.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) && compressed.count < plain.count)
    }

    @Test("A program without the record types loads a dump, and nothing of them is lost")
    func withoutRecordTypes() async throws {
        let opened = try await filledStore()
        let context = opened.daybook.context
        let file = url("dump.ndjson", of: opened)
        try opened.daybook.files.dump(to: file)
        let place = url("copy", of: opened)
        try StoreFiles.load(file, into: place, context: context)
        let copy = try DaybookStore.open(at: place, context: context, records: records)
        let source = url("second.ndjson", of: opened)
        try copy.files.dump(to: source)
        let first = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        #expect(try String(contentsOf: source, encoding: .utf8).split(separator: "\n").dropFirst() == first)
    }

    @Test("A store that has records is not loaded into")
    func occupied() async throws {
        let opened = try await filledStore()
        let file = url("dump.ndjson", of: opened)
        try opened.daybook.files.dump(to: file)
        let before = try opened.dump()
        #expect(throws: FileError.storeNotEmpty(path: opened.path)) {
            try StoreFiles.load(file, into: URL(filePath: opened.path), context: opened.daybook.context)
        }
        #expect(try opened.dump() == before)
    }
}

import CivilTime
import FoundationEssentials
import Testing

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

@Suite struct PlainTaskParserTests {
    private static let now = Instant(secondsSince1970: 1_770_000_000)

    private func line(of task: ImportedTask, as format: TaskFormat) throws -> [UInt8] {
        var writer = JSONWriter()
        if format == .json { task.write(to: &writer) }
        guard format == .ndjson else { return writer.bytes }
        var bytes: [UInt8] = []
        var file = TaskWriter(format: .ndjson, exportDate: Self.now, zone: .utc) { (part) throws(FileError) in
            bytes += part
        }
        try file.append(task)
        try file.finish()
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
        return Array(bytes[(end + 1)...].dropLast())
    }

    /// What the general parser makes of an object; nil when it refuses it or does not read all of it.
    private func general(_ bytes: [UInt8], isLine: Bool) -> ImportedTask? {
        var parser = JSONParser(bytes)
        guard case .object(var members)? = try? parser.value(), parser.problem == nil, parser.position == bytes.count
        else { return nil }
        if isLine {
            guard members["collection"] == .string("tasks") else { return nil }
            members.removeAll { $0.key == "collection" }
        }
        return try? ImportedTask(json: members, now: Self.now, zone: .utc)
    }

    @Test(
        "What is read in one pass is what the general parser reads, and what that refuses is left to it",
        arguments: 1...8 as ClosedRange<UInt64>)
    func equality(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        var (read, left, damagedRead) = (0, 0, 0)
        for round in 0..<400 {
            var task = documents.task()
            if round % 2 == 0 {
                // As most tasks are.
                let plain = task
                task = ImportedTask(
                    id: plain.id, text: plain.text, state: plain.state, createdAt: plain.createdAt,
                    updatedAt: plain.updatedAt, completedAt: plain.completedAt, scheduledDate: plain.scheduledDate,
                    sortOrder: plain.sortOrder)
                task.notes = plain.notes
            }
            let format: TaskFormat = round % 4 < 2 ? .ndjson : .json
            let bytes = try line(of: task, as: format)
            let isLine = format == .ndjson
            let expected = general(bytes, isLine: isLine)
            if let (found, end) = PlainTaskParser.task(in: bytes, at: 0, isLine: isLine) {
                read += 1
                #expect(found == expected && end == bytes.count, "\(String(decoding: bytes, as: UTF8.self))")
            } else {
                left += 1
            }
            for _ in 0..<20 {
                var damaged = bytes
                for _ in 0...documents.number(below: 2) {
                    let place = documents.number(below: damaged.count)
                    switch documents.number(below: 4) {
                    case 0: damaged.remove(at: place)
                    case 1: damaged.insert(damaged[documents.number(below: damaged.count)], at: place)
                    case 2: damaged[place] = UInt8(documents.number(below: 256))
                    default: damaged[place] = damaged[documents.number(below: damaged.count)]
                    }
                }
                guard let (found, end) = PlainTaskParser.task(in: damaged, at: 0, isLine: isLine) else { continue }
                damagedRead += 1
                #expect(
                    found == general(Array(damaged[..<end]), isLine: isLine),
                    "\(String(decoding: damaged, as: UTF8.self))")
            }
        }
        // Both happen often enough to say something.
        #expect(read > 100 && left > 50 && damagedRead > 20, "\(read) \(left) \(damagedRead)")
    }

    @Test("A file is read the same whatever part of it is in memory")
    func windows() throws {
        var documents = RandomDocuments(seed: 9)
        var bytes = Array("{\"format\":\"daybook\",\"version\":1}\n".utf8)
        for number in 0..<60 {
            var task = documents.task()
            if number % 2 == 0 {
                task = ImportedTask(id: task.id, text: "plain", createdAt: task.createdAt, updatedAt: task.updatedAt)
            }
            bytes += try line(of: task, as: .ndjson) + Array("\n".utf8)
        }
        let expected = try TaskReader.read(bytes, format: .ndjson, zone: .utc)
        #expect(expected.tasks.count == 60)
        for size in [1, 7, 64, 300, 1000, 5000] {
            var reader = try TaskReader(
                byteSource(of: bytes, partSize: size), format: .ndjson, zone: .utc, skipInvalid: false, now: nil,
                windowSize: size)
            var tasks: [ImportedTask] = []
            while case .task(let task)? = try reader.next() { tasks.append(task) }
            #expect(tasks == expected.tasks, "\(size)")
        }
    }
}

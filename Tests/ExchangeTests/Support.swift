import CivilTime
import FoundationEssentials

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

extension ImportedTask {
    /// The task without the record of what its file omits.
    var content: ImportedTask {
        var content = self
        content.gaps = Gaps()
        content.number = 0
        return content
    }
}

extension ImportedTask {
    /// Notes the days that a file of days has for the instants of a task.
    mutating func noteDays(of task: ImportedTask, in zone: Zone) throws {
        var days: [FileDays.Field: Day] = [:]
        for field in FileDays.Field.allCases { days[field] = field.instant(of: task.task).map(zone.day) }
        try note(days, in: zone)
    }
}

extension [ImportedTask] {
    /// The tasks without the records of what their files omit.
    var content: [ImportedTask] { map(\.content) }
}

/// Returns the bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Returns the output of a writer for these records.
func written(
    _ tasks: [ImportedTask], _ tombstones: [Tombstone] = [], as format: TaskFormat, pretty: Bool = true,
    zone: Zone = .utc
) throws -> [UInt8] {
    let output = Output()
    var writer = TaskWriter(
        format: format, pretty: pretty, exportDate: try Instant("2026-02-11T10:00:00Z"), zone: zone
    ) { (bytes) throws(FileError) in output.chunks.append(bytes) }
    for task in tasks { try writer.append(task) }
    for tombstone in tombstones { try writer.append(tombstone) }
    try writer.finish()
    return Array(output.chunks.joined())
}

final class Output {
    var chunks: [[UInt8]] = []
}

/// Returns the value of a JSON text.
func parsed(_ bytes: [UInt8]) throws -> JSONValue {
    var parser = JSONParser(bytes)
    return try parser.value()
}

/// The first records of a file that is an array of objects.
func objects(_ bytes: [UInt8], limit: Int = .max) throws -> [[JSONMember]] {
    var parser = JSONParser(bytes)
    var objects: [[JSONMember]] = []
    try parser.beginArray()
    while objects.count < limit, try parser.nextElement(isFirst: objects.isEmpty) {
        guard case .object(let members) = try parser.value() else { return [] }
        objects.append(members.sortedByKey())
    }
    return objects
}

func task(_ text: String = "Write the report") throws -> ImportedTask {
    ImportedTask(
        id: try id(1), text: text, createdAt: try Instant("2026-02-10T09:15:00Z"),
        updatedAt: try Instant("2026-02-10T09:15:00Z"))
}

func id(_ number: UInt64) throws -> UUID { UUID(bigEndian: UInt128(number)) }

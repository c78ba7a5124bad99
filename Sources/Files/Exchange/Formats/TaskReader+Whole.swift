import ByteStreams
import CivilTime

extension TaskReader {
    /// Reads a whole file; the other parameters are those of the initializer.
    public static func read(
        _ bytes: [UInt8], format: TaskFormat, zone: Zone, skipInvalid: Bool = false, now: Instant? = nil
    ) throws(FileError) -> TaskImport {
        var result = TaskImport()
        try forEach(in: bytes, format: format, zone: zone, skipInvalid: skipInvalid, now: now) {
            (record) throws(FileError) in
            switch record {
            case .task(let task): result.tasks.append(task)
            case .tombstone(let tombstone): result.tombstones.append(tombstone)
            case .invalid(let invalid): result.invalid.append(invalid)
            }
        }
        return result
    }

    /// Calls a closure with each record of a file that stands in memory.
    public static func forEach(
        in bytes: [UInt8], format: TaskFormat, zone: Zone, skipInvalid: Bool = false, now: Instant? = nil,
        _ body: (TaskRecord) throws(FileError) -> Void
    ) throws(FileError) {
        var reader = try TaskReader(
            byteSource(of: bytes), format: format, zone: zone, skipInvalid: skipInvalid, now: now)
        while let record = try reader.next() { try body(record) }
    }
}

import Daybook
import Workloads

/// A record's key and fields as LMDB has them.
struct StoredRecord<R: Record> {
    let key: KeyBytes
    let fields: [UInt8]

    init(_ record: R) {
        var key = KeyBytes()
        record.id.encode(into: &key)
        self.key = key
        fields = RecordCodec.encode(record)
    }

    /// Reads it so many times, as a view reads its records.
    func decoded(_ count: Int) throws -> [R] {
        var records: [R] = []
        records.reserveCapacity(count)
        for _ in 0..<count { try R.append(decoding: key.bytes, fields.span.bytes, to: &records) }
        return records
    }
}

import Daybook
import Workloads

/// A record's key and fields as stored in LMDB.
struct StoredRecord<R: Record> {
    let key: KeyBytes
    let fields: [UInt8]

    init(_ record: R) {
        var key = KeyBytes()
        record.id.encode(into: &key)
        self.key = key
        fields = RecordCodec.encode(record)
    }

    /// Reads the record the given number of times, like a view.
    func decoded(_ count: Int) throws -> [R] {
        var records: [R] = []
        records.reserveCapacity(count)
        for _ in 0..<count { try R.append(decoding: key.bytes, fields.span.bytes, to: &records) }
        return records
    }
}

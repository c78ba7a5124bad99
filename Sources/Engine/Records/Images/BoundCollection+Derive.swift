import KeyValue

extension BoundCollection {
    func derive(
        _ key: RawSpan, _ value: RawSpan, at places: [Int], into derivation: inout Derivation
    ) throws(RecordsError) {
        guard let record = soundRecord(key, value) else {
            throw .refusedRecord(collection: name, key: KeyBytes(copying: key).hexadecimal)
        }
        let id = KeyBytes(copying: key)
        // Counted by hand: what numbers the closures of a record's type would be put together anew for each record.
        var number = 0
        for indexKey in indexKeys {
            if var entry = indexKey(record) {
                entry.append(contentsOf: id)
                derivation.add(entry, at: places[number])
            }
            number += 1
        }
        for instant in rollUpInstants {
            if let instant = instant(record) { derivation.add(instant, at: places[number]) }
            number += 1
        }
    }

    /// The record of bytes that nobody has vouched for; nil when they are not what this program would have written or
    /// carried over, or break a rule of the record's own.
    func soundRecord(_ key: RawSpan, _ value: RawSpan) -> R? {
        guard key.byteCount == R.ID.width, FieldLayout.isValid(value), let record = try? decode(key, value),
            record.id.keyBytes.bytes.isEqual(to: key), record.brokenInvariants.isEmpty
        else { return nil }
        return record
    }
}

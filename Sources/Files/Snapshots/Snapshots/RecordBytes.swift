import Records

extension [UInt8] {
    /// Whether these bytes sort before others: the order of the keys.
    func precedes(_ other: [UInt8]) -> Bool {
        span.bytes.precedes(other.span.bytes)
    }

    /// Takes over other bytes and keeps the room.
    mutating func replace(with other: [UInt8]) {
        removeAll(keepingCapacity: true)
        append(contentsOf: other)
    }
}

extension CollectionDigest {
    mutating func add(_ key: [UInt8], _ value: [UInt8]) {
        add(key: key.span.bytes, value: value.span.bytes)
    }
}

import KeyValue

/// The entries of an index range in their order, in chunks: an entry is found, inserted or removed, and its position known,
/// in the time for one chunk and a number for each other, so that one change of a hundred thousand costs microseconds.
struct EntryList {
    /// An entry, and the hash of its record.
    struct Entry: Equatable {
        let key: KeyBytes
        var hash: UInt64
    }

    private static let limit = 256
    private var chunks: [[Entry]] = []
    private(set) var count = 0
    /// Whether the last key comes first.
    let isBackwards: Bool

    init(isBackwards: Bool) {
        self.isBackwards = isBackwards
    }

    /// The entries in order.
    var all: [Entry] { chunks.flatMap { $0 } }

    /// Adds an entry after all others.
    mutating func append(_ entry: Entry) {
        if chunks.last.map({ $0.count >= Self.limit }) ?? true { chunks.append([]) }
        chunks[chunks.count - 1].append(entry)
        count += 1
    }

    /// The position of a key; nil when it is not there.
    func position(of key: KeyBytes) -> Int? {
        let (chunk, offset) = place(of: key)
        guard chunk < chunks.count, offset < chunks[chunk].count, chunks[chunk][offset].key == key else { return nil }
        return position(chunk, offset)
    }

    /// Removes the entry of a key, which must be there.
    mutating func remove(_ key: KeyBytes) {
        let (chunk, offset) = place(of: key)
        guard chunk < chunks.count, offset < chunks[chunk].count, chunks[chunk][offset].key == key else { return }
        chunks[chunk].remove(at: offset)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
        count -= 1
    }

    /// Inserts an entry at its place and returns its position.
    mutating func insert(_ entry: Entry) -> Int {
        var (chunk, offset) = place(of: entry.key)
        if chunk == chunks.count {
            append(entry)
            return count - 1
        }
        chunks[chunk].insert(entry, at: offset)
        count += 1
        if chunks[chunk].count > 2 * Self.limit {
            let half = chunks[chunk].count / 2
            let rest = Array(chunks[chunk][half...])
            chunks[chunk].removeSubrange(half...)
            chunks.insert(rest, at: chunk + 1)
            if offset >= half { (chunk, offset) = (chunk + 1, offset - half) }
        }
        return position(chunk, offset)
    }

    /// Notes that the record of an entry has changed, and returns its position; nil when it is not there or the same.
    mutating func update(_ key: KeyBytes, hash: UInt64) -> Int? {
        let (chunk, offset) = place(of: key)
        guard chunk < chunks.count, offset < chunks[chunk].count, chunks[chunk][offset].key == key,
            chunks[chunk][offset].hash != hash
        else { return nil }
        chunks[chunk][offset].hash = hash
        return position(chunk, offset)
    }

    private func position(_ chunk: Int, _ offset: Int) -> Int {
        var position = offset
        for index in 0..<chunk { position += chunks[index].count }
        return position
    }

    private func isBefore(_ left: KeyBytes, _ right: KeyBytes) -> Bool {
        isBackwards ? right.bytes.precedes(left.bytes) : left.bytes.precedes(right.bytes)
    }

    /// Where a key is, or would be inserted; beyond the last chunk for a key after all others.
    private func place(of key: KeyBytes) -> (chunk: Int, offset: Int) {
        let chunk = Self.first(chunks.count) { index in chunks[index].last.map { !isBefore($0.key, key) } ?? false }
        guard chunk < chunks.count else { return (chunk, 0) }
        return (chunk, Self.first(chunks[chunk].count) { !isBefore(chunks[chunk][$0].key, key) })
    }

    /// The first of some numbers for which a condition holds, that holds for all after it.
    private static func first(_ count: Int, where holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

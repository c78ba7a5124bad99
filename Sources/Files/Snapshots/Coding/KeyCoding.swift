import Records

/// The coding of the keys of a block, which ascend.
enum KeyCoding: UInt8 {
    /// Each key without the prefix that it shares with the one before.
    case prefixes = 0
    /// Keys of 16 bytes that may be UUIDs: the first 48 bits, which in version 7 are a time in milliseconds; the
    /// version and the variant; and the other 74 bits, which are random and stored unchanged.
    case identifiers = 1

    /// Writes the keys and returns the times in them, if they have any.
    static func write(_ keys: TextRuns, to writer: inout StreamWriter) -> [UInt64]? {
        for index in 0..<keys.count where keys.ends[index] - keys.starts[index] != 16 {
            writePrefixes(keys, to: &writer)
            return nil
        }
        writer.byte(identifiers.rawValue)
        let span = keys.bytes.span.bytes
        var times: [UInt64] = []
        var distances: [UInt64] = []
        var kinds: [UInt64] = []
        var words = [UInt8](repeating: 0, count: keys.count * 8)
        var bytes = [UInt8](repeating: 0, count: keys.count)
        var pairs = [UInt8](repeating: 0, count: (keys.count + 3) / 4)
        times.reserveCapacity(keys.count)
        distances.reserveCapacity(keys.count)
        kinds.reserveCapacity(keys.count)
        var previous: UInt64 = 0
        for index in 0..<keys.count {
            let high = span.bigEndian(at: index * 16, as: UInt64.self)
            let low = span.bigEndian(at: index * 16 + 8, as: UInt64.self)
            times.append(high >> 16)
            distances.append(high >> 16 &- previous)
            previous = high >> 16
            kinds.append(high >> 12 & 15 | (low >> 62) << 4)
            // The twelve bits after the version: eight here, two there, and two complete the word of the other 62.
            let word = low << 2 | high & 3
            for place in 0..<8 { words[index * 8 + place] = UInt8(truncatingIfNeeded: word >> UInt64(place * 8)) }
            bytes[index] = UInt8(truncatingIfNeeded: high >> 4)
            pairs[index >> 2] |= UInt8(truncatingIfNeeded: high >> 2 & 3) << UInt8((index & 3) * 2)
        }
        IntegerCoding.write(distances, to: &writer)
        IntegerCoding.write(kinds, to: &writer)
        writer.stream(words)
        writer.stream(bytes)
        writer.stream(pairs)
        return times
    }

    private static func writePrefixes(_ keys: TextRuns, to writer: inout StreamWriter) {
        let span = keys.bytes.span.bytes
        var shared: [UInt64] = []
        var lengths: [UInt64] = []
        var rests: [UInt8] = []
        var previous = 0..<0
        for index in 0..<keys.count {
            let key = Int(keys.starts[index])..<Int(keys.ends[index])
            let common = span.commonPrefix(
                previous.lowerBound, key.lowerBound, limit: min(previous.count, key.count))
            shared.append(UInt64(common))
            lengths.append(UInt64(key.count - common))
            rests.append(span.extracting(key.lowerBound + common..<key.upperBound))
            previous = key
        }
        writer.byte(prefixes.rawValue)
        IntegerCoding.write(shared, to: &writer)
        IntegerCoding.write(lengths, to: &writer)
        writer.stream(rests)
    }

    /// The concatenated keys, the end of each, and the times in them, if they have any.
    struct Keys {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        var times: [UInt64]?
    }

    /// Reads `count` keys of at most `limit` bytes in total.
    static func read(count: Int, limit: Int, from reader: inout StreamReader) throws(SnapshotDamage) -> Keys {
        switch KeyCoding(rawValue: try reader.cursor.byte()) {
        case .prefixes: return try readPrefixes(count: count, limit: limit, from: &reader)
        case .identifiers: return try readIdentifiers(count: count, limit: limit, from: &reader)
        case nil: throw SnapshotDamage("keys are coded in an unknown way")
        }
    }

    private static func readIdentifiers(
        count: Int, limit: Int, from reader: inout StreamReader
    ) throws(SnapshotDamage) -> Keys {
        guard count * 16 <= limit else { throw SnapshotDamage("keys are longer than their block") }
        let distances = try IntegerCoding.read(count: count, from: &reader)
        let kinds = try IntegerCoding.read(count: count, from: &reader)
        let words = try reader.stream(count: count * 8)
        let bytes = try reader.stream(count: count)
        let pairs = try reader.stream(count: (count + 3) / 4)
        var keys = Keys()
        keys.bytes = [UInt8](repeating: 0, count: count * 16)
        keys.ends.reserveCapacity(count)
        var times: [UInt64] = []
        times.reserveCapacity(count)
        var time: UInt64 = 0
        let span = words.span.bytes
        for index in 0..<count {
            time = time &+ distances[index]
            guard time >> 48 == 0, kinds[index] < 64 else { throw SnapshotDamage("a key is out of bounds") }
            let word = span.littleEndian(at: index * 8, as: UInt64.self)
            let pair = UInt64(pairs[index >> 2] >> UInt8((index & 3) * 2) & 3)
            let random = UInt64(bytes[index]) << 4 | pair << 2 | word & 3
            let high = time << 16 | (kinds[index] & 15) << 12 | random
            let low = (kinds[index] >> 4) << 62 | word >> 2
            for place in 0..<8 {
                keys.bytes[index * 16 + place] = UInt8(truncatingIfNeeded: high >> UInt64(56 - place * 8))
                keys.bytes[index * 16 + 8 + place] = UInt8(truncatingIfNeeded: low >> UInt64(56 - place * 8))
            }
            keys.ends.append(index * 16 + 16)
            times.append(time)
        }
        keys.times = times
        return keys
    }

    private static func readPrefixes(
        count: Int, limit: Int, from reader: inout StreamReader
    ) throws(SnapshotDamage) -> Keys {
        let shared = try IntegerCoding.read(count: count, from: &reader)
        let lengths = try IntegerCoding.read(count: count, from: &reader)
        let rests = try reader.stream(atMost: limit)
        var keys = Keys()
        keys.ends.reserveCapacity(count)
        var previous = 0..<0
        var rest = 0
        for index in 0..<count {
            guard shared[index] <= UInt64(previous.count), lengths[index] <= UInt64(rests.count - rest),
                keys.bytes.count + Int(shared[index]) + Int(lengths[index]) <= limit
            else { throw SnapshotDamage("a key is out of bounds") }
            let start = keys.bytes.count
            for position in previous.lowerBound..<(previous.lowerBound + Int(shared[index])) {
                keys.bytes.append(keys.bytes[position])
            }
            keys.bytes.append(rests.span.bytes.extracting(rest..<rest + Int(lengths[index])))
            rest += Int(lengths[index])
            previous = start..<keys.bytes.count
            keys.ends.append(keys.bytes.count)
        }
        guard rest == rests.count else { throw SnapshotDamage("keys are longer than they state") }
        return keys
    }
}

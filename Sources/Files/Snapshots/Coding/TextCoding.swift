/// The coding of a column of texts or other bytes of varying length.
enum TextCoding: UInt8 {
    /// The lengths, then all texts concatenated.
    case plain = 0
    /// The distinct texts in order, each without the prefix that it shares with the one before; then the entry of each
    /// text.
    case dictionary = 1
    /// The number of line feeds of each text, then the lines, in one of the two ways above.
    case lines = 2

    static func write(_ runs: TextRuns, to writer: inout StreamWriter) {
        if runs.count > 1 {
            let (lines, lineEnds) = runs.lines()
            if lines.count >= runs.count * 2, lines.count <= runs.count + runs.bytes.count / 4,
                let dictionary = TextDictionary(of: lines)
            {
                writer.byte(self.lines.rawValue)
                IntegerCoding.write(lineEnds, to: &writer)
                return write(dictionary, to: &writer)
            }
        }
        if let dictionary = TextDictionary(of: runs) { return write(dictionary, to: &writer) }
        writer.byte(plain.rawValue)
        IntegerCoding.write(zip(runs.starts, runs.ends).map { UInt64($1 - $0) }, to: &writer)
        writer.stream(runs.bytes)
    }

    private static func write(_ dictionary: TextDictionary, to writer: inout StreamWriter) {
        let entries = dictionary.entries
        let span = entries.bytes.span.bytes
        var shared: [UInt64] = []
        var lengths: [UInt64] = []
        var rests: [UInt8] = []
        shared.reserveCapacity(entries.count)
        lengths.reserveCapacity(entries.count)
        var previous = (start: 0, length: 0)
        for index in 0..<entries.count {
            let start = Int(entries.starts[index])
            let length = Int(entries.ends[index]) - start
            let common = span.commonPrefix(previous.start, start, limit: min(previous.length, length))
            shared.append(UInt64(common))
            lengths.append(UInt64(length - common))
            rests.append(span.extracting(start + common..<start + length))
            previous = (start, length)
        }
        writer.byte(self.dictionary.rawValue)
        writer.shortInteger(UInt64(entries.count))
        IntegerCoding.write(shared, to: &writer)
        IntegerCoding.write(lengths, to: &writer)
        writer.stream(rests)
        IntegerCoding.write(dictionary.indices, to: &writer)
    }

    /// Reads `count` texts.
    static func read(
        count: Int, _ budget: inout ReadBudget, from reader: inout StreamReader
    ) throws(SnapshotDamage) -> TextColumn {
        let coding = try coding(from: &reader)
        guard coding == .lines else { return try read(coding, count: count, &budget, from: &reader) }
        let lineEnds = try IntegerCoding.read(count: count, from: &reader)
        var total = count
        for ends in lineEnds {
            guard ends <= UInt64(budget.lines) else { throw SnapshotDamage("a text has too many lines") }
            budget.lines -= Int(ends)
            total += Int(ends)
        }
        let nested = try self.coding(from: &reader)
        guard nested != .lines else { throw SnapshotDamage("lines of lines") }
        var column = try read(nested, count: total, &budget, from: &reader)
        column.lineEnds = lineEnds
        return column
    }

    private static func coding(from reader: inout StreamReader) throws(SnapshotDamage) -> TextCoding {
        guard let coding = TextCoding(rawValue: try reader.cursor.byte()) else {
            throw SnapshotDamage("texts are coded in an unknown way")
        }
        return coding
    }

    private static func read(
        _ coding: TextCoding, count: Int, _ budget: inout ReadBudget, from reader: inout StreamReader
    ) throws(SnapshotDamage) -> TextColumn {
        let limit = budget.bytes
        if coding == .plain {
            let ends = try ends(ofLengths: IntegerCoding.read(count: count, from: &reader), limit: limit)
            budget.bytes -= ends.last ?? 0
            return try TextColumn(bytes: reader.stream(count: ends.last ?? 0), ends: ends, indices: nil)
        }
        let entryCount = try reader.cursor.shortInteger()
        guard entryCount <= UInt64(count) else { throw SnapshotDamage("a dictionary is longer than its column") }
        let shared = try IntegerCoding.read(count: Int(entryCount), from: &reader)
        let restEnds = try ends(
            ofLengths: IntegerCoding.read(count: Int(entryCount), from: &reader), limit: limit)
        let rests = try reader.stream(count: restEnds.last ?? 0)
        let indices = try IntegerCoding.read(count: count, from: &reader)
        for index in indices where index >= entryCount { throw SnapshotDamage("a text is not in its dictionary") }
        let (bytes, ends) = try entries(shared: shared, rests: rests, restEnds: restEnds, limit: limit)
        budget.bytes -= bytes.count
        return TextColumn(bytes: bytes, ends: ends, indices: indices)
    }

    private static func entries(
        shared: [UInt64], rests: [UInt8], restEnds: [Int], limit: Int
    ) throws(SnapshotDamage) -> (bytes: [UInt8], ends: [Int]) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        ends.reserveCapacity(shared.count)
        var previous = 0..<0
        var restStart = 0
        for index in shared.indices {
            let restCount = restEnds[index] - restStart
            guard shared[index] <= UInt64(previous.count),
                bytes.count + Int(shared[index]) + restCount <= limit
            else { throw SnapshotDamage("a text shares more bytes than the previous one has") }
            let start = bytes.count
            for position in previous.lowerBound..<(previous.lowerBound + Int(shared[index])) {
                bytes.append(bytes[position])
            }
            bytes.append(rests.span.bytes.extracting(restStart..<restEnds[index]))
            restStart = restEnds[index]
            previous = start..<bytes.count
            ends.append(bytes.count)
        }
        return (bytes, ends)
    }

    private static func ends(ofLengths lengths: [UInt64], limit: Int) throws(SnapshotDamage) -> [Int] {
        var ends: [Int] = []
        ends.reserveCapacity(lengths.count)
        var end = 0
        for length in lengths {
            guard length <= UInt64(limit - end) else { throw SnapshotDamage("texts are longer than their block") }
            end += Int(length)
            ends.append(end)
        }
        return ends
    }
}

import Records

/// Runs of bytes that lie one after another or overlapping in one array: the texts of a column, or their lines.
struct TextRuns {
    var bytes: [UInt8] = []
    var starts: [Int32] = []
    var ends: [Int32] = []

    var count: Int { ends.count }

    /// Adds a run at the end.
    mutating func append(_ run: RawSpan) {
        starts.append(Int32(bytes.count))
        bytes.append(run)
        ends.append(Int32(bytes.count))
    }

    /// The lines of every run, without their ends, and how many line ends each run has.
    func lines() -> (lines: TextRuns, lineEnds: [UInt64]) {
        var lines = TextRuns()
        lines.bytes = bytes
        var lineEnds: [UInt64] = []
        lineEnds.reserveCapacity(count)
        let span = bytes.span.bytes
        for index in 0..<count {
            let end = Int(ends[index])
            var start = Int(starts[index])
            var found: UInt64 = 0
            while let lineEnd = span.firstLineEnd(from: start, to: end) {
                lines.starts.append(Int32(start))
                lines.ends.append(Int32(lineEnd))
                start = lineEnd + 1
                found += 1
            }
            lines.starts.append(Int32(start))
            lines.ends.append(Int32(end))
            lineEnds.append(found)
        }
        return (lines, lineEnds)
    }
}

extension RawSpan {
    /// Where the first line feed between two places is.
    func firstLineEnd(from start: Int, to end: Int) -> Int? {
        var position = start
        // Eight bytes at once: a byte that was a line feed is zero after the exclusive or, and the subtraction borrows.
        while position + 8 <= end {
            let word = littleEndian(at: position, as: UInt64.self) ^ 0x0A0A_0A0A_0A0A_0A0A
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zeros != 0 { return position + zeros.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < end {
            if self[byteAt: position] == 0x0A { return position }
            position += 1
        }
        return nil
    }

    /// How many bytes two runs of this span begin with in common, at most `limit`.
    func commonPrefix(_ first: Int, _ second: Int, limit: Int) -> Int {
        var length = 0
        while length + 8 <= limit {
            let difference =
                littleEndian(at: first + length, as: UInt64.self) ^ littleEndian(at: second + length, as: UInt64.self)
            if difference != 0 { return length + difference.trailingZeroBitCount / 8 }
            length += 8
        }
        while length < limit, self[byteAt: first + length] == self[byteAt: second + length] { length += 1 }
        return length
    }
}

import Records

/// A decoded column of texts, returned one by one.
struct TextColumn {
    /// The texts, or the entries of their dictionary.
    let bytes: [UInt8]
    let ends: [Int]
    /// The entry of each text; nil without a dictionary.
    let indices: [UInt64]?
    /// The number of line feeds of each text, if the column was split into lines.
    var lineEnds: [UInt64]?
    private var nextRun = 0
    private var nextText = 0

    init(bytes: [UInt8], ends: [Int], indices: [UInt64]?) {
        self.bytes = bytes
        self.ends = ends
        self.indices = indices
    }

    /// Appends the next text, which must exist, unless the output would be longer than `limit`: repeated entries can
    /// expand to any length.
    mutating func appendNext(to output: inout [UInt8], limit: Int) throws(SnapshotDamage) {
        var more = lineEnds?[nextText] ?? 0
        nextText += 1
        try appendRun(to: &output, limit: limit)
        while more > 0 {
            output.append(0x0A)
            try appendRun(to: &output, limit: limit)
            more -= 1
        }
    }

    private mutating func appendRun(to output: inout [UInt8], limit: Int) throws(SnapshotDamage) {
        let index = indices.map { Int($0[nextRun]) } ?? nextRun
        nextRun += 1
        let start = index == 0 ? 0 : ends[index - 1]
        guard ends[index] - start <= limit - output.count else {
            throw SnapshotDamage("a record is longer than its block")
        }
        output.append(bytes.span.bytes.extracting(start..<ends[index]))
    }
}

/// Runs of bytes, adjacent or overlapping, in one array: the texts of a column or their lines.
struct TextRuns {
    var bytes: [UInt8] = []
    var starts: [Int32] = []
    var ends: [Int32] = []

    var count: Int { ends.count }

    /// Appends a run.
    mutating func append(_ run: RawSpan) {
        starts.append(Int32(bytes.count))
        bytes.append(run)
        ends.append(Int32(bytes.count))
    }

    /// The lines of every run without line feeds, and the number of line feeds of each run.
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
    /// The position of the first line feed in a range.
    func firstLineEnd(from start: Int, to end: Int) -> Int? {
        var position = start
        // Eight bytes at a time: a line feed becomes zero after the exclusive or, and the subtraction borrows.
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

    /// The length of the common prefix of two runs of this span, at most `limit`.
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

import Records

/// A column of texts that was read, given out one by one.
struct TextColumn {
    /// The texts, or the entries of their dictionary, one after another.
    let bytes: [UInt8]
    let ends: [Int]
    /// Which entry each text is; nil without a dictionary.
    let indices: [UInt64]?
    /// How many line feeds each text has, when what is here are lines.
    var lineEnds: [UInt64]?
    private var nextRun = 0
    private var nextText = 0

    init(bytes: [UInt8], ends: [Int], indices: [UInt64]?) {
        self.bytes = bytes
        self.ends = ends
        self.indices = indices
    }

    /// Appends the next text, of which there must be one, unless the output would be longer than `limit`: entries that
    /// come again and again can make a text of any length.
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

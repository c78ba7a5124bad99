/// Bytes that nobody has written, the same ones each time for the same place of the same file.
enum Garbage {
    static func bytes(of file: FileTree.Number, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count + 16)
        let seed = SeededBits.mix(UInt64(truncatingIfNeeded: file) &+ 0x9E37_79B9_7F4A_7C15)
        let start = range.lowerBound / 8
        for word in start..<(range.upperBound + 7) / 8 {
            let bits = SeededBits.mix(seed &+ UInt64(truncatingIfNeeded: word))
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        }
        let skipped = range.lowerBound - start * 8
        return Array(bytes[skipped..<skipped + range.count])
    }
}

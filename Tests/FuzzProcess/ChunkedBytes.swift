import ByteStreams

/// The bytes of a file in memory, given out in parts of one size or of many.
func chunked(_ bytes: [UInt8], _ random: inout FuzzRandom) -> ByteSource {
    var sizes = FuzzRandom(seed: random.next())
    let longest = random.pick([1 << 20, 4_096, 64, 7, 1])
    var position = 0
    return { () throws(FileError) in
        let end = min(position + 1 + sizes.below(longest), bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }
}

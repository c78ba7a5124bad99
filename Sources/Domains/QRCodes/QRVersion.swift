/// A size of QR codes, and how its bytes are divided into blocks, at error correction L.
struct QRVersion: CaseIterable, Sendable {
    let number: Int
    /// How many check bytes each block has.
    private let checkCount: Int
    private let blockCount: Int

    /// Table 9 of the standard.
    static let allCases = [
        (7, 1), (10, 1), (15, 1), (20, 1), (26, 1), (18, 2), (20, 2), (24, 2), (30, 2), (18, 4), (20, 4), (24, 4),
        (26, 4),
        (30, 4), (22, 6), (24, 6), (28, 6), (30, 6), (28, 7), (28, 8),
    ].enumerated().map { QRVersion(number: $0 + 1, checkCount: $1.0, blockCount: $1.1) }

    var size: Int { 17 + 4 * number }

    /// The centers of the alignment patterns, in rows and columns alike.
    var alignments: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (1..<count).reversed().map { size - 7 - ($0 - 1) * step }
    }

    /// How many bytes fit in byte mode.
    var byteLimit: Int { (dataCount * 8 - 4 - lengthBits) / 8 }

    private var lengthBits: Int { number < 10 ? 8 : 16 }

    /// How many codewords the modules hold that belong to no pattern.
    private var codewordCount: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let count = number / 7 + 2
            modules -= (25 * count - 10) * count - 55
        }
        if number >= 7 { modules -= 36 }
        return modules / 8
    }

    private var dataCount: Int { codewordCount - checkCount * blockCount }

    /// The data and its check bytes, in the order in which they are drawn.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        let data = padded(bytes)
        // The first blocks may be one byte shorter than the last ones.
        let short = dataCount / blockCount
        let shortCount = blockCount - dataCount % blockCount
        var blocks: [[UInt8]] = []
        var rest = data[...]
        for index in 0..<blockCount {
            let count = index < shortCount ? short : short + 1
            blocks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let checks = blocks.map { ReedSolomon.qrCode.checkSymbols(of: $0, count: checkCount) }
        return Self.interleaved(blocks) + Self.interleaved(checks)
    }

    private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { index in blocks.compactMap { index < $0.count ? $0[index] : nil } }
    }

    /// Mode, length, the bytes, and filling.
    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for shift in (0..<count).reversed() { bits.append(value >> shift & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, lengthBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, dataCount * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var filling: UInt8 = 0xEC
        while data.count < dataCount {
            data.append(filling)
            filling ^= 0xEC ^ 0x11
        }
        return data
    }
}

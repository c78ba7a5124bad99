import ByteStreams
import LabSupport

extension SeededGenerator {
    /// Creates the choices for one mutation of one reader. They do not depend on earlier mutations, so that each can be
    /// replayed alone.
    init(seed: UInt64, reader: String, number: Int) {
        func first(_ seed: UInt64) -> UInt64 {
            var random = SeededGenerator(seed: seed)
            return random.next()
        }
        let mixed = reader.utf8.reduce(first(seed)) { first($0 ^ UInt64($1)) }
        self.init(seed: first(mixed ^ UInt64(truncatingIfNeeded: number)))
    }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}

/// Returns a source of a file in memory, in parts of random sizes.
func chunked(_ bytes: [UInt8], _ random: inout SeededGenerator) -> ByteSource {
    var sizes = SeededGenerator(seed: random.next())
    let longest = random.pick([1 << 20, 4_096, 64, 7, 1])
    var position = 0
    return { () throws(FileError) in
        let end = min(position + 1 + sizes.below(longest), bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }
}

/// Mutates bytes at random, in the ways in which files are damaged and attacked.
struct Mutator {
    /// The maximum length of an input. Longer ones are slower and find no more.
    private static let sizeLimit = 1 << 16

    private static let numbers = [
        "0", "-0", "-1", "1e400", "1E-999", "0.1", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "18446744073709551616", "4294967296", "2147483648", "65536", "00", "1.", "253402300800", "99999999999999999999",
        String(repeating: "9", count: 400),
    ].map { Array($0.utf8) }
    private static let binaryNumbers: [UInt64] = [
        0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 40,
        0x7FFF_FFFF_FFFF_FFFF, 1 << 63, .max,
    ]

    /// Inputs to splice from.
    var others: [[UInt8]]
    /// Tokens of the format.
    var tokens: [[UInt8]]

    /// Applies one change, sometimes several.
    func mutate(_ input: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = input
        for _ in 0..<random.pick([1, 1, 1, 1, 2, 2, 3, 5, 9]) { change(&bytes, &random) }
        if bytes.count > Self.sizeLimit, bytes.count > input.count { bytes.removeLast(bytes.count - Self.sizeLimit) }
        return bytes
    }

    private func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        if bytes.isEmpty { bytes = [random.byte()] }
        let place = random.below(bytes.count)
        switch random.below(16) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes[place] = random.byte()
        case 2: bytes.insert(random.byte(), at: place)
        case 3: bytes.remove(at: place)
        case 4: bytes.removeSubrange(range(in: bytes, &random))
        case 5:
            let copied = Array(bytes[range(in: bytes, &random)])
            for _ in 0..<random.pick([1, 1, 1, 2, 20]) { bytes.insert(contentsOf: copied, at: place) }
        case 6:
            let copied = Array(bytes[range(in: bytes, &random)])
            let end = min(place + copied.count, bytes.count)
            bytes.replaceSubrange(place..<end, with: copied)
        case 7:
            let other = random.pick(others)
            guard !other.isEmpty else { return }
            let part = Array(other[range(in: other, &random)])
            bytes.insert(contentsOf: part, at: place)
        case 8:
            let other = random.pick(others)
            bytes = Array(bytes[..<place]) + other.dropFirst(random.below(other.count + 1))
        case 9, 10:
            guard let digits = digits(in: bytes, from: place) else { return }
            bytes.replaceSubrange(digits, with: random.pick(Self.numbers))
        case 11: bytes.insert(contentsOf: tokens.isEmpty ? [0] : random.pick(tokens), at: place)
        case 12:
            let token = tokens.isEmpty ? [0] : random.pick(tokens)
            bytes.replaceSubrange(place..<min(place + random.pick([1, token.count]), bytes.count), with: token)
        case 13: bytes.removeLast(bytes.count - place)
        case 14:
            let number = random.pick(Self.binaryNumbers)
            for index in 0..<random.pick([1, 2, 4, 8]) where place + index < bytes.count {
                bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index))
            }
        default:
            let count = random.oneIn(200) ? 60_000 : 1 + random.below(40)
            bytes.insert(contentsOf: repeatElement(bytes[place], count: count), at: place)
        }
    }

    /// Returns a length, usually a short one.
    private func range(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int> {
        let start = random.below(bytes.count)
        let longest = random.pick([4, 16, 64, 256, bytes.count])
        return start..<min(start + 1 + random.below(longest), bytes.count)
    }

    /// Returns the next run of digits.
    private func digits(in bytes: [UInt8], from place: Int) -> Range<Int>? {
        func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
        guard let start = bytes[place...].firstIndex(where: isDigit) else { return nil }
        return start..<(bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count)
    }
}

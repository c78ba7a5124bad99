import CivilTime
import FoundationEssentials
import KeyValue

/// The entries of a key's parts from one value to another, as they were typed: made by ``KeyInterval/init(from:to:of:in:)``.
public struct KeyInterval: Sendable, Hashable {
    /// The first entry, and the first one after the last.
    let lower, upper: KeyBytes?

    /// Every entry.
    public static let all = KeyInterval(lower: nil, upper: nil)

    private init(lower: KeyBytes?, upper: KeyBytes?) { (self.lower, self.upper) = (lower, upper) }

    /// The entries whose keys begin with values from one to another, both included, whichever order the index has. A text is
    /// included with all that begin with it, a day of instants with all of its instants.
    ///
    /// - Parameters:
    ///   - first: The values of the first parts, separated by commas; nil or blank for no limit.
    ///   - last: The values at the other end.
    ///   - parts: The parts of the key.
    ///   - zone: The zone of days that stand for instants.
    /// - Throws: `badDeclaration` with the part that cannot be read, without the text.
    public init(from first: String?, to last: String?, of parts: [KeyPart], in zone: Zone) throws(RecordsError) {
        let first = try Self.ends(first, parts, zone)
        let last = try Self.ends(last, parts, zone)
        // In a descending index the first value typed is the last one stored.
        if first == nil || last == nil, parts.first?.isDescending == true {
            self.init(lower: last?.low, upper: first?.high.successorOfPrefix)
        } else {
            let lower = [first?.low, first == nil ? nil : last?.low].compactMap(\.self).min()
            let upper = [last?.high, last == nil ? nil : first?.high].compactMap(\.self).max()
            self.init(lower: lower, upper: upper?.successorOfPrefix)
        }
    }

    private static func ends(
        _ text: String?, _ parts: [KeyPart], _ zone: Zone
    ) throws(RecordsError) -> (low: KeyBytes, high: KeyBytes)? {
        guard let text, text.contains(where: { !$0.isWhitespace }) else { return nil }
        let words = text.split(separator: ",", maxSplits: parts.count - 1, omittingEmptySubsequences: false)
        guard !parts.isEmpty else { throw .badDeclaration("the parts of this key are not known") }
        var (low, high) = (KeyBytes(), KeyBytes())
        for (place, word) in words.enumerated() {
            let typed = word.trimmingASCIISpaces
            guard let ends = parts[place].ends(of: typed, isLast: place == words.count - 1, zone) else {
                throw .badDeclaration("part \(place + 1) of the key cannot be read as \(parts[place].kind)")
            }
            guard max(low.count, high.count) + max(ends.low.count, ends.high.count) <= 64 else {
                throw .badDeclaration("the key is longer than 64 bytes")
            }
            for byte in ends.low { low.append(byte) }
            for byte in ends.high { high.append(byte) }
        }
        return low < high ? (low, high) : (high, low)
    }
}

extension Substring {
    fileprivate var trimmingASCIISpaces: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension KeyPart {
    /// The bytes of the first and of the last value that a text stands for; nil when it is not of this kind.
    fileprivate func ends(of text: String, isLast: Bool, _ zone: Zone) -> (low: [UInt8], high: [UInt8])? {
        func same(_ key: (any OrderedKey)?) -> (low: [UInt8], high: [UInt8])? {
            key.map { ($0.keyBytes.array, $0.keyBytes.array) }
        }
        let found: (low: [UInt8], high: [UInt8])? =
            switch kind {
            case .bytes: [UInt8](hexadecimalDigits: text).map { ($0, $0) }
            case .unsigned8: same(UInt8(text))
            case .unsigned16: same(UInt16(text))
            case .unsigned32: same(UInt32(text))
            case .unsigned64: same(UInt64(text))
            case .integer32: same(Int32(text))
            case .integer64: same(Int64(text))
            case .boolean: same(["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false][text])
            case .day: same(try? Day(text))
            case .optionalDay: text == "none" ? same(Day?.none) : same(try? Day(text))
            case .instant:
                if let day = try? Day(text) {
                    (
                        zone.start(of: day).keyBytes.array,
                        zone.end(of: day).advanced(byMicroseconds: -1).keyBytes.array
                    )
                } else {
                    same(try? Instant(text))
                }
            case .uuid: same(UUID(uuidString: text))
            case .text: isLast ? same(TextPrefix(text)) : same(TextKey(text))
            case .word:
                Word.searched(in: text, limit: 1).first.map { word in
                    let bytes = word.bytes.array + (isLast ? [] : [0])
                    return (bytes, bytes)
                }
            }
        guard isDescending else { return found }
        return found.map { ($0.low.map { ~$0 }, $0.high.map { ~$0 }) }
    }

    /// The values of a key's bytes; what is left when a part cannot be read is bytes.
    ///
    /// - Parameter idWidth: how many bytes of an id follow the parts.
    static func values(of bytes: [UInt8], _ parts: [KeyPart], idWidth: Int = 0) -> [StoreInspection.Value] {
        var rest = bytes.dropLast(idWidth)
        var values: [StoreInspection.Value] = []
        for (place, part) in parts.enumerated() {
            let following = parts[(place + 1)...].reduce(0) { $0 + $1.width }
            guard let (value, count) = part.value(of: Array(rest), following: following) else { break }
            values.append(value)
            rest = rest.dropFirst(count)
        }
        if !rest.isEmpty { values.append(.bytes(Array(rest))) }
        return values
    }

    private func value(of stored: [UInt8], following: Int) -> (StoreInspection.Value, count: Int)? {
        let bytes = isDescending ? stored.map { ~$0 } : stored
        guard bytes.count >= width else { return nil }
        func read<Key: OrderedKey>(_ type: Key.Type) -> Key? { try? Key(keyArray: Array(bytes.prefix(width))) }
        let value: StoreInspection.Value? =
            switch kind {
            case .bytes: .bytes(Array(width > 0 ? bytes.prefix(width) : bytes.dropLast(following)))
            case .unsigned8: read(UInt8.self).map { .integer(Int64($0)) }
            case .unsigned16: read(UInt16.self).map { .integer(Int64($0)) }
            case .unsigned32: read(UInt32.self).map { .integer(Int64($0)) }
            case .unsigned64: read(UInt64.self).map { .unsigned($0) }
            case .integer32: read(Int32.self).map { .integer(Int64($0)) }
            case .integer64: read(Int64.self).map { .integer($0) }
            case .boolean: read(Bool.self).map { .boolean($0) }
            case .day: read(Day.self).map { .day($0) }
            case .optionalDay: read(Day?.self).map { $0.map { .day($0) } ?? .none }
            case .instant: read(Instant.self).map { .instant($0) }
            case .uuid: read(UUID.self).map { .uuid($0) }
            case .text, .word: nil
            }
        if let value { return (value, kind == .bytes && width == 0 ? max(0, bytes.count - following) : width) }
        guard kind == .text || kind == .word else { return nil }
        // A text ends with a zero, a truncated one with a one and a hash.
        guard let end = bytes.firstIndex(where: { $0 == 0 || $0 == 1 && kind == .text }) else { return nil }
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        let isWhole = bytes[end] == 0
        let count = end + 1 + (isWhole ? 0 : 8)
        return count <= bytes.count ? (.text(isWhole ? text : text + "…"), count) : nil
    }
}

extension [UInt8] {
    /// The bytes of hexadecimal digits; nil for other text.
    init?(hexadecimalDigits text: String) {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) }
    }
}

import CivilTime
import KeyValue

/// The counts of one day of UTC: the total, then each quarter of an hour that has any.
///
/// Bytes: total (8, little-endian), a checksum of key and total (4), then for each quarter its number (0 to 95, one byte)
/// and count (4, little-endian), ascending, then the checksum of the whole entry. One row serves both grains, so a change
/// writes one row; a whole day is counted by its total alone, whose own checksum makes that as cheap for a day of a
/// thousand as for a day of one.
struct RollUpRow: Equatable {
    static let microsecondsPerQuarter: Int64 = 900_000_000
    static let microsecondsPerDay: Int64 = 96 * microsecondsPerQuarter

    private(set) var quarters: [UInt8: UInt32] = [:]

    var total: UInt64 { quarters.values.reduce(0) { $0 + UInt64($1) } }

    /// Adds to a quarter's count; false when the count would fall below zero.
    mutating func add(_ change: Int, toQuarter quarter: UInt8) -> Bool {
        let count = Int(quarters[quarter] ?? 0) + change
        guard count >= 0, count <= Int(UInt32.max) else { return false }
        quarters[quarter] = count == 0 ? nil : UInt32(count)
        return true
    }

    /// Bytes before the quarters: the total and its checksum.
    private static let headCount = 12
    /// Bytes of one quarter: its number and its count.
    private static let entryCount = 5

    func encoded(for key: KeyBytes, in table: SealedTable) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: total)
        bytes.append(littleEndian: table.seal(of: bytes.span.bytes, for: key.bytes))
        for (quarter, count) in quarters.sorted(by: { $0.key < $1.key }) {
            bytes.append(quarter)
            bytes.append(littleEndian: count)
        }
        return bytes
    }

    init() {}

    init(decoding bytes: RawSpan) {
        RollUpRow.forEachQuarter(in: bytes) { quarters[$0] = $1 }
    }

    /// The total of a row as it is stored. Only its own checksum is looked at.
    static func total(of key: RawSpan, sealed: RawSpan, in table: SealedTable) throws -> Int {
        guard sealed.byteCount >= headCount,
            table.isSeal(sealed.littleEndian(at: 8), of: sealed.extracting(first: 8), for: key)
        else { throw table.damage(key) }
        return Int(clamping: sealed.littleEndian(at: 0, as: UInt64.self))
    }

    /// Whether the total in a row's value is that of its quarters.
    static func isTotalRight(in value: RawSpan) -> Bool {
        value.byteCount >= headCount && value.littleEndian(at: 0, as: UInt64.self) == RollUpRow(decoding: value).total
    }

    /// The count of the quarters in a range, without building anything. What is added up is the smaller part of the day.
    static func count(in bytes: RawSpan, quarters: Range<Int>) -> Int {
        guard bytes.byteCount >= headCount else { return 0 }
        guard quarters.count > 48 else { return sum(in: bytes, quarters: quarters) }
        let total = Int(clamping: bytes.littleEndian(at: 0, as: UInt64.self))
        return total - sum(in: bytes, quarters: 0..<quarters.lowerBound)
            - sum(in: bytes, quarters: quarters.upperBound..<96)
    }

    private static func sum(in bytes: RawSpan, quarters: Range<Int>) -> Int {
        // The first that is not before the range, by halving: the quarters ascend.
        var first = 0
        var end = (bytes.byteCount - headCount) / entryCount
        while first < end {
            let middle = (first + end) / 2
            if Int(bytes[byteAt: headCount + middle * entryCount]) < quarters.lowerBound {
                first = middle + 1
            } else {
                end = middle
            }
        }
        var sum = 0
        var offset = headCount + first * entryCount
        while offset + entryCount <= bytes.byteCount, Int(bytes[byteAt: offset]) < quarters.upperBound {
            sum += Int(bytes.littleEndian(at: offset + 1, as: UInt32.self))
            offset += entryCount
        }
        return sum
    }

    private static func forEachQuarter(in bytes: RawSpan, _ body: (UInt8, UInt32) -> Void) {
        var offset = headCount
        while offset + entryCount <= bytes.byteCount {
            body(bytes[byteAt: offset], bytes.littleEndian(at: offset + 1, as: UInt32.self))
            offset += entryCount
        }
    }

    /// The day of UTC and the quarter that an instant falls into.
    static func cell(of instant: Instant) -> (day: Int32, quarter: UInt8) {
        let (day, rest) = instant.microsecondsSince1970.flooringDivision(by: microsecondsPerDay)
        return (Int32(clamping: day), UInt8(rest / microsecondsPerQuarter))
    }
}

extension Int64 {
    /// Division that rounds towards minus infinity, so that instants before 1970 fall into the right day.
    func flooringDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

import CivilTime
import FoundationEssentials

// Ids and dates as bytes without a string in between: an export writes several of each for every task.
extension [UInt8] {
    package mutating func append(_ id: UUID) {
        let bytes = id.uuid
        appendHexadecimal(bytes.0, bytes.1, bytes.2, bytes.3)
        append(UInt8(ascii: "-"))
        appendHexadecimal(bytes.4, bytes.5)
        append(UInt8(ascii: "-"))
        appendHexadecimal(bytes.6, bytes.7)
        append(UInt8(ascii: "-"))
        appendHexadecimal(bytes.8, bytes.9)
        append(UInt8(ascii: "-"))
        appendHexadecimal(bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15)
    }

    package mutating func append(_ instant: Instant) {
        let day = instant.utcDay
        let micros = instant.microsecondsSince1970 - Int64(day.daysSince1970) * 86_400_000_000
        // Outside years 1 to 9999 the day is cut off, and what is left is not a time of the day.
        guard (0..<86_400_000_000).contains(micros) else { return append(contentsOf: instant.description.utf8) }
        append(day)
        append(UInt8(ascii: "T"))
        let seconds = Int(micros / 1_000_000)
        appendDigits(seconds / 3600, width: 2)
        append(UInt8(ascii: ":"))
        appendDigits(seconds / 60 % 60, width: 2)
        append(UInt8(ascii: ":"))
        appendDigits(seconds % 60, width: 2)
        appendFraction(Int(micros % 1_000_000))
        append(UInt8(ascii: "Z"))
    }

    package mutating func append(_ day: Day) {
        appendDigits(day.year, width: 4)
        append(UInt8(ascii: "-"))
        appendDigits(day.month, width: 2)
        append(UInt8(ascii: "-"))
        appendDigits(day.day, width: 2)
    }

    private mutating func appendFraction(_ microseconds: Int) {
        guard microseconds != 0 else { return }
        append(UInt8(ascii: "."))
        appendDigits(microseconds, width: 6)
        while last == UInt8(ascii: "0") { removeLast() }
    }

    private mutating func appendDigits(_ value: Int, width: Int) {
        // From the last digit on: a division by ten is a multiplication, one by a variable is not.
        let start = count
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: width))
        var rest = value
        for offset in (0..<width).reversed() {
            self[start + offset] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    package mutating func appendHexadecimal(_ bytes: UInt8...) {
        for byte in bytes { appendHexadecimal(byte) }
    }

    package mutating func appendHexadecimal(_ byte: UInt8) {
        append(Self.hexadecimalDigit(byte >> 4))
        append(Self.hexadecimalDigit(byte & 15))
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

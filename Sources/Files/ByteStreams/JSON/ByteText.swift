import CivilTime
import FoundationEssentials

// Ids and dates are appended as bytes without an intermediate string, since an export writes several of them for every
// task.
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
        // Outside the years 1 to 9999 the day is clamped, and the rest is not a time of day.
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
        // From the last digit on, since a division by the constant ten is a multiplication.
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

extension Instant {
    /// The instant as `20260210T091500Z`, in whole seconds, as iCalendar and Taskwarrior write it.
    package var basicText: String {
        var bytes: [UInt8] = []
        bytes.append(self)
        var basic: [UInt8] = []
        basic.reserveCapacity(16)
        for byte in bytes where byte != UInt8(ascii: "-") && byte != UInt8(ascii: ":") {
            if byte == UInt8(ascii: ".") { break }
            basic.append(byte)
        }
        if basic.last != UInt8(ascii: "Z") { basic.append(UInt8(ascii: "Z")) }
        return String(decoding: basic, as: UTF8.self)
    }

    /// The instant as `2026-02-10T091500Z`, in whole seconds, for names of files, which must not contain a colon on
    /// every system.
    package var fileNameText: String {
        description.prefix { $0 != "." && $0 != "Z" }.replacing(":", with: "") + "Z"
    }
}

extension UUID {
    /// Reads exactly the form `8-4-4-4-12`, in either case.
    ///
    /// `UUID(uuidString:)` uses `sscanf`: it takes 0.6 microseconds, and accepts blanks, signs and `0x` as digits.
    package init?(strict text: String) {
        var digits = UInt128(0)
        var index = 0
        for byte in text.utf8 {
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard let digit = byte.hexadecimalValue else { return nil }
                digits = digits << 4 | UInt128(digit)
            }
            index += 1
        }
        guard index == 36 else { return nil }
        self.init(bigEndian: digits)
    }

    /// Creates the id whose 16 bytes are this number in big-endian order.
    package init(bigEndian number: UInt128) {
        func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: number >> (120 - 8 * index)) }
        self.init(
            uuid: (
                byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7), byte(8), byte(9), byte(10),
                byte(11), byte(12), byte(13), byte(14), byte(15)
            ))
    }

    /// The id in lower case, as Daybook writes it everywhere.
    var textForm: String {
        var bytes: [UInt8] = []
        bytes.append(self)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of this byte as a hexadecimal digit, in either case; nil if it is none.
    package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

import FoundationEssentials

extension UUID {
    /// Reads exactly the form `8-4-4-4-12`, in either case.
    ///
    /// `UUID(uuidString:)` goes through `sscanf`: 0.6 microseconds, and blanks, signs and `0x` pass for digits.
    package init?(strict text: String) {
        var digits = UInt128(0)
        var index = 0
        for byte in text.utf8 {
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            default:
                guard let digit = Self.hexadecimalValue(byte) else { return nil }
                digits = digits << 4 | UInt128(digit)
            }
            index += 1
        }
        guard index == 36 else { return nil }
        self.init(bigEndian: digits)
    }

    /// The id whose 16 bytes, in order, are this number.
    package init(bigEndian number: UInt128) {
        func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: number >> (120 - 8 * index)) }
        self.init(
            uuid: (
                byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7), byte(8), byte(9), byte(10),
                byte(11), byte(12), byte(13), byte(14), byte(15)
            ))
    }

    /// The id as Daybook writes it everywhere.
    var lowercased: String {
        var bytes: [UInt8] = []
        bytes.append(self)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

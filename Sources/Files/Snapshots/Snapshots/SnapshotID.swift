import ByteStreams

/// The identity of a snapshot: 16 bytes that come from what is in it, so that the same state at the same instant has the
/// same one.
public struct SnapshotID: Sendable, Hashable, CustomStringConvertible {
    let bytes: [UInt8]

    /// No snapshot.
    static let none = SnapshotID(bytes: [UInt8](repeating: 0, count: 16))

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil unless the text is 32 hexadecimal digits in lower case.
    init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.bytes = bytes
    }

    /// 32 hexadecimal digits.
    public var description: String {
        var text: [UInt8] = []
        for byte in bytes { text.appendHexadecimal(byte) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Nil unless the text is pairs of hexadecimal digits in lower case.
    init?(hexadecimal text: String) {
        self = []
        var high: UInt8?
        for character in text.utf8 {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        if high != nil { return nil }
    }
}

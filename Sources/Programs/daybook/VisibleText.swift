/// Text that cannot do anything to a terminal.
enum VisibleText {
    /// The text in one line: control characters, line breaks and characters that turn the direction of writing are shown
    /// as escapes.
    static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isDangerous) else { return text }
        var visible = ""
        for scalar in text.unicodeScalars {
            if isDangerous(scalar) { visible += escape(scalar) } else { visible.unicodeScalars.append(scalar) }
        }
        return visible
    }

    /// JSON may hold the control characters above ASCII as they are, and a terminal obeys those too. They occur in
    /// strings only, where an escape means the same.
    static func escapingControls(inJSON bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x7F {
                escaped += Array("\\u007f".utf8)
            } else if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 {
                escaped += Array("\\u00\(String(bytes[index + 1], radix: 16))".utf8)
                index += 1
            } else {
                escaped.append(byte)
            }
            index += 1
        }
        return escaped
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029: true
        // Marks that reorder what follows: a line could then read as another one.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
}

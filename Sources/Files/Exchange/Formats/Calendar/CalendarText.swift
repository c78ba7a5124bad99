/// TEXT values: `\\`, `\;`, `\,` and `\n`.
enum CalendarText {
    /// A text as a value. Control characters but the tab have no place in iCalendar and are left out.
    static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): escaped += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","): escaped += [UInt8(ascii: "\\"), byte]
            case 0x09: escaped.append(byte)
            case 0..<0x20, 0x7F: continue
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The text of a value.
    static func plain(_ value: String) -> String {
        list(value, separator: nil)[0]
    }

    /// The texts of a value that is a list.
    static func list(_ value: String) -> [String] {
        list(value, separator: UInt8(ascii: ","))
    }

    private static func list(_ value: String, separator: UInt8?) -> [String] {
        var texts: [String] = []
        var text: [UInt8] = []
        var bytes = value.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == separator {
                texts.append(String(decoding: text, as: UTF8.self))
                text = []
            } else if byte != UInt8(ascii: "\\") {
                text.append(byte)
            } else {
                switch bytes.next() {
                case UInt8(ascii: "n")?, UInt8(ascii: "N")?: text.append(UInt8(ascii: "\n"))
                case let escaped?
                where escaped == UInt8(ascii: "\\") || escaped == UInt8(ascii: ";")
                    || escaped == UInt8(ascii: ","):
                    text.append(escaped)
                // Not an escape: both are text.
                case let other?: text += [byte, other]
                case nil: text.append(byte)
                }
            }
        }
        texts.append(String(decoding: text, as: UTF8.self))
        return texts
    }
}

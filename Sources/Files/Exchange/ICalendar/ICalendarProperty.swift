import ByteStreams

/// The parts of a content line: `DUE;VALUE=DATE:20260211`.
struct ICalendarProperty {
    /// The name in upper case; names are case-insensitive.
    let name: String
    /// The first value of each parameter, by its name in upper case.
    let parameters: [String: String]
    /// The value after the colon, unchanged.
    let value: String
    /// The line of the file; 0 outside a file.
    let line: Int

    init(_ line: ICalendarLine) throws(RecordProblem) {
        self.line = line.number
        var cursor = Cursor(rest: line.text.utf8[...])
        let name = cursor.name()
        guard !name.isEmpty else { throw Self.malformed(line, "does not begin with the name of a property") }
        var parameters: [String: String] = [:]
        while cursor.skip(";") {
            let key = cursor.name()
            guard !key.isEmpty, cursor.skip("=") else { throw Self.malformed(line, "has a parameter without a value") }
            repeat {
                guard let value = cursor.parameterValue() else {
                    throw Self.malformed(line, "has a quotation mark without a second one")
                }
                if parameters[key] == nil { parameters[key] = value }
            } while cursor.skip(",")
        }
        guard cursor.skip(":") else { throw Self.malformed(line, "has no colon after the name of its property") }
        self.name = name
        self.parameters = parameters
        self.value = String(Substring(cursor.rest))
    }

    private static func malformed(_ line: ICalendarLine, _ reason: String) -> RecordProblem {
        RecordProblem("line \(line.number) \(reason)")
    }

    /// Returns a problem with the value; only for known properties, since other names may be private.
    func problem(_ requirement: String) -> RecordProblem {
        RecordProblem("`\(name)` in line \(line) \(requirement)")
    }
}

/// A cursor over a content line.
private struct Cursor {
    var rest: Substring.UTF8View

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads letters, digits and `-`, and also dots and underscores, which some programs write.
    mutating func name() -> String {
        let name = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        rest = rest[name.endIndex...]
        return Substring(name).uppercased()
    }

    /// Reads a value with or without quotation marks, with the escapes of RFC 6868; nil if the closing mark is missing.
    mutating func parameterValue() -> String? {
        if skip("\"") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            let value = String(Substring(rest[..<end]))
            rest = rest[rest.index(after: end)...]
            return value.withoutCarets
        }
        let value = rest.prefix { byte in
            byte != UInt8(ascii: ";") && byte != UInt8(ascii: ":") && byte != UInt8(ascii: ",")
        }
        rest = rest[value.endIndex...]
        return String(Substring(value)).withoutCarets
    }
}

extension String {
    /// `^n` is a new line, `^'` a quotation mark, `^^` a caret.
    fileprivate var withoutCarets: String {
        guard utf8.contains(UInt8(ascii: "^")) else { return self }
        var plain = ""
        var scalars = unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "^" else {
                plain.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.next() {
            case "n"?: plain.append("\n")
            case "'"?: plain.append("\"")
            case "^"?: plain.append("^")
            case let other?:
                plain.append("^")
                plain.unicodeScalars.append(other)
            case nil: plain.append("^")
            }
        }
        return plain
    }
}

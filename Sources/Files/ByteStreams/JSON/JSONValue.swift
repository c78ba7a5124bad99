/// One JSON value, with everything that the text said: numbers keep their digits, objects their order and duplicates.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number as it was written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])
}

/// One key of an object with its value.
package struct JSONMember: Sendable, Equatable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

extension JSONValue {
    /// The text of an object whose keys are sorted, compact: the same for every spelling of the same members.
    package static func canonicalText(of members: [JSONMember]) -> String {
        var writer = JSONWriter()
        JSONValue.object(members).write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONValue {
    /// Whether it has at most so many levels and so many values.
    package func fits(levels: Int, values: Int) -> Bool {
        var left = values
        return fits(levels: levels, left: &left)
    }

    private func fits(levels: Int, left: inout Int) -> Bool {
        left -= 1
        guard left >= 0 else { return false }
        switch self {
        case .array(let elements): return levels > 0 && elements.allSatisfy { $0.fits(levels: levels - 1, left: &left) }
        case .object(let members):
            return levels > 0 && members.allSatisfy { $0.value.fits(levels: levels - 1, left: &left) }
        default: return true
        }
    }
}

extension JSONValue: JSONWritable {
    /// Writes the value with sorted keys; of a key that comes twice, the last counts.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let digits): writer.raw(digits)
        case .string(let text): writer.string(text)
        case .array(let elements): writer.value(elements)
        case .object(let members):
            writer.object { writer in
                for member in members.sortedByKey() { writer.field(member.key, member.value) }
            }
        }
    }
}

extension [JSONMember] {
    /// The members in the order of their keys' bytes; of a key that comes twice, the last one.
    package func sortedByKey() -> [JSONMember] {
        let order = indices.sorted { left, right in
            self[left].key.isBefore(self[right].key) ?? (left < right)
        }
        var sorted: [JSONMember] = []
        sorted.reserveCapacity(count)
        for index in order {
            if let last = sorted.last, last.key.hasSameBytes(as: self[index].key) { sorted.removeLast() }
            sorted.append(self[index])
        }
        return sorted
    }

    /// The value of a key; of one that comes twice, the last.
    package subscript(key: String) -> JSONValue? {
        last { $0.key == key }?.value
    }

    /// Puts a value in the place of the key's, or at the end.
    package mutating func set(_ key: String, _ value: JSONValue) {
        if let index = firstIndex(where: { $0.key == key }) {
            self[index].value = value
        } else {
            append(JSONMember(key: key, value: value))
        }
    }
}

extension String {
    /// Whether the two are the same bytes. `==` also takes two spellings of one letter (é) for the same.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        isBefore(other) == nil
    }

    /// Whether its bytes come before the other's; nil if they are the same.
    fileprivate func isBefore(_ other: String) -> Bool? {
        var rest = other.utf8.makeIterator()
        for byte in utf8 {
            guard let otherByte = rest.next() else { return false }
            if byte != otherByte { return byte < otherByte }
        }
        return rest.next() == nil ? nil : true
    }
}

import CivilTime
import FoundationEssentials

/// One JSON value, without loss: numbers keep their digits, objects their order and duplicate keys.
package enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number, with its digits as they were written.
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
    /// Returns the compact text of an object with sorted keys, the same for every order of the same members.
    package static func canonicalText(of members: [JSONMember]) -> String {
        var writer = JSONWriter()
        JSONValue.object(members).write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONValue {
    /// Whether the value has at most these numbers of levels and values.
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
    /// Writes the value with sorted keys; of a duplicate key, the last member counts.
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
    /// Returns the members in the order of their keys' bytes, without all but the last of duplicate keys.
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

    /// The value of a key; of duplicates, the last.
    package subscript(key: String) -> JSONValue? {
        last { $0.key == key }?.value
    }

    /// Replaces the value of a key, or appends a member.
    package mutating func set(_ key: String, _ value: JSONValue) {
        if let index = firstIndex(where: { $0.key == key }) {
            self[index].value = value
        } else {
            append(JSONMember(key: key, value: value))
        }
    }
}

extension String {
    /// Whether two strings have the same bytes. `==` also considers different encodings of one letter (é) equal.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        isBefore(other) == nil
    }

    /// Whether the bytes sort before the other's; nil if they are equal.
    fileprivate func isBefore(_ other: String) -> Bool? {
        var rest = other.utf8.makeIterator()
        for byte in utf8 {
            guard let otherByte = rest.next() else { return false }
            if byte != otherByte { return byte < otherByte }
        }
        return rest.next() == nil ? nil : true
    }
}

// Conversions of the values of fields. An error names the field, never its content.
extension JSONValue {
    package func text(_ field: String) throws(RecordProblem) -> String {
        guard case .string(let text) = self else { throw RecordProblem("`\(field)` must be a string") }
        if text.utf8.contains(0) { throw RecordProblem("`\(field)` has a NUL character, which no text may have") }
        return text
    }

    package func bool(_ field: String) throws(RecordProblem) -> Bool {
        guard case .bool(let value) = self else { throw RecordProblem("`\(field)` must be true or false") }
        return value
    }

    package func integer<Integer: FixedWidthInteger>(_ field: String) throws(RecordProblem) -> Integer {
        guard case .number(let digits) = self, let value = Integer(digits) else {
            throw RecordProblem("`\(field)` must be a whole number from \(Integer.min) to \(Integer.max)")
        }
        return value
    }

    package func choice<Choice: RawRepresentable<String> & CaseIterable>(_ field: String) throws(RecordProblem)
        -> Choice
    {
        guard case .string(let text) = self, let value = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw RecordProblem("`\(field)` must be one of \(choices)")
        }
        return value
    }

    package func id(_ field: String) throws(RecordProblem) -> UUID {
        guard case .string(let text) = self, let value = UUID(strict: text) else {
            throw RecordProblem("`\(field)` must be a UUID")
        }
        return value
    }

    package func instant(_ field: String) throws(RecordProblem) -> Instant {
        guard case .string(let text) = self, let value = try? Instant(text) else {
            throw RecordProblem("`\(field)` must be an instant that exists, such as 2026-02-10T09:15:00Z")
        }
        return value
    }

    package func day(_ field: String) throws(RecordProblem) -> Day {
        guard case .string(let text) = self, let value = try? Day(text) else {
            throw RecordProblem("`\(field)` must be a day that exists, such as 2026-02-11")
        }
        return value
    }

    /// Returns nil for null, otherwise the result of `read`.
    package func optional<Value>(
        _ field: String, _ read: (JSONValue) -> (String) throws(RecordProblem) -> Value
    ) throws(RecordProblem) -> Value? {
        if self == .null { return nil }
        return try read(self)(field)
    }
}

/// The reason why one record is not valid, without the text of the record; the reader adds the line.
package struct RecordProblem: Error, Equatable {
    package var reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

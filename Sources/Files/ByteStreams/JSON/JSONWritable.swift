import CivilTime
import FoundationEssentials

/// A value that can be written as JSON.
package protocol JSONWritable {
    /// Writes this value, as one JSON value.
    func write(to writer: inout JSONWriter)
}

extension JSONWriter {
    /// Writes one value.
    @inlinable package mutating func value(_ value: some JSONWritable) {
        value.write(to: &self)
    }

    /// Writes a key and its value; an optional without a value is written as null.
    @inlinable package mutating func field(_ key: String, _ value: some JSONWritable) {
        self.key(key)
        value.write(to: &self)
    }

    /// Writes a key and its value, unless the value is the default.
    @inlinable package mutating func field<Value: JSONWritable & Equatable>(
        _ key: String, _ value: Value, unless standard: Value
    ) {
        if value != standard { field(key, value) }
    }

    /// Writes a key and an object; `body` writes its fields.
    @inlinable package mutating func object<Failure: Error>(
        _ key: String, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try object(body)
    }

    /// Writes a key and an array; `body` writes its elements.
    @inlinable package mutating func array<Failure: Error>(
        _ key: String, _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.key(key)
        try array(body)
    }
}

extension String: JSONWritable {
    /// Writes a JSON string.
    package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
    /// Writes true or false.
    package func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension JSONWritable where Self: FixedWidthInteger {
    /// Writes a whole number.
    package func write(to writer: inout JSONWriter) { writer.int(self) }
}

extension Int: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt8: JSONWritable {}
extension UInt32: JSONWritable {}
extension UInt64: JSONWritable {}

extension Double: JSONWritable {
    /// Writes the shortest number that reads back as the same value; null if it is not finite, which JSON cannot
    /// express.
    package func write(to writer: inout JSONWriter) {
        if isFinite { writer.raw(description) } else { writer.null() }
    }
}

extension UUID: JSONWritable {
    /// Writes the id in lower case.
    package func write(to writer: inout JSONWriter) { writer.plainString { $0.append(self) } }
}

extension Instant: JSONWritable {
    /// Writes the instant in ISO 8601, in UTC.
    package func write(to writer: inout JSONWriter) { writer.plainString { $0.append(self) } }
}

extension Day: JSONWritable {
    /// Writes the day as YYYY-MM-DD.
    package func write(to writer: inout JSONWriter) { writer.plainString { $0.append(self) } }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// Writes the value, or null.
    package func write(to writer: inout JSONWriter) {
        if let value = self { value.write(to: &writer) } else { writer.null() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// Writes a JSON array.
    package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.write(to: &writer) }
        }
    }
}

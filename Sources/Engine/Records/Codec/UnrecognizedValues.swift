/// The raw values of enumerated fields that a newer version wrote and this one has no case for, by field number.
///
/// Keep one in the record, so that such a record can be read and shown, and its other fields changed, without losing
/// the value:
///
///     var unrecognized = UnrecognizedValues()
///     region = try fields.enumeration(18, default: .backlog, unrecognized: &unrecognized)
///     …
///     fields.put(18, region, default: .backlog, unrecognized: unrecognized)
public struct UnrecognizedValues: Sendable, Hashable {
    private var rawValues: [Int: UInt8]?

    /// No such values.
    public init() {}

    /// Whether every value is one that this version has a case for.
    public var isEmpty: Bool { rawValues == nil }

    /// The raw value in a field; nil when this version has a case for it. Set nil when the field gets a new value.
    public subscript(number: Int) -> UInt8? {
        get { rawValues?[number] }
        set {
            if let newValue {
                rawValues = rawValues ?? [:]
                rawValues?[number] = newValue
            } else if rawValues?.removeValue(forKey: number) != nil, rawValues?.isEmpty == true {
                rawValues = nil
            }
        }
    }
}

extension FieldDecoder {
    /// Reads the case in an enumerated field: `fallback` when the field is missing, and also when it holds a raw value
    /// that this version has no case for, which is then kept in `unrecognized`.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func enumeration<Value: RawRepresentable>(
        _ number: Int, default fallback: Value, unrecognized: inout UnrecognizedValues
    ) throws(RecordsError) -> Value where Value.RawValue == UInt8 {
        guard let rawValue = try optionalByte(number) else { return fallback }
        if let value = Value(rawValue: rawValue) { return value }
        unrecognized[number] = rawValue
        return fallback
    }
}

extension FieldEncoder {
    /// Writes the raw value of an enumerated field; nothing for the default. A raw value in `unrecognized` is written
    /// as it was read.
    @inlinable
    public mutating func put<Value: RawRepresentable>(
        _ number: Int, _ value: Value, default fallback: Value, unrecognized: UnrecognizedValues
    ) where Value.RawValue == UInt8 {
        put(number, unrecognized[number] ?? (value.rawValue == fallback.rawValue ? nil : value.rawValue))
    }
}

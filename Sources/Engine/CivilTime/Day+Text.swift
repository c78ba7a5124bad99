extension Day: CustomStringConvertible {
    /// Reads a day of exactly the form `YYYY-MM-DD`.
    ///
    /// - Throws: ``CivilTimeError/malformedDay(_:)`` for any other form, ``CivilTimeError/impossibleDay(_:)`` for a date
    ///   that the calendar does not have.
    public init(_ text: String) throws(CivilTimeError) {
        var cursor = TextCursor(text)
        guard let year = cursor.digits(4), cursor.skip("-"), let month = cursor.digits(2), cursor.skip("-"),
            let day = cursor.digits(2), cursor.isAtEnd
        else { throw .malformedDay(text) }
        guard let value = Day(year: year, month: month, day: day) else { throw .impossibleDay(text) }
        self = value
    }

    /// The day as `2026-02-11`.
    public var description: String {
        let components = self.components
        return "\(padded(components.year, width: 4))-\(padded(components.month, width: 2))"
            + "-\(padded(components.day, width: 2))"
    }
}

extension Day: Codable {
    /// Decodes the text `YYYY-MM-DD`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes the text `YYYY-MM-DD`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

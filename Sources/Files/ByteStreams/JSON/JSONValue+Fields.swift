import CivilTime
import FoundationEssentials

// What a field's value has to be; the field is named in the error, its content never is.
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

    /// Nil for null, else what `read` makes of the value.
    package func optional<Value>(
        _ field: String, _ read: (JSONValue) -> (String) throws(RecordProblem) -> Value
    ) throws(RecordProblem) -> Value? {
        if self == .null { return nil }
        return try read(self)(field)
    }
}

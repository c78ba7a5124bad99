import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Reads a task as Daybook itself writes it in JSON and NDJSON, straight from the bytes: an import spends most of its time
/// on reading, and a tree of values costs four times as much.
///
/// It never decides that something is wrong. Whatever is unusual, such as another order of the keys, a blank, a
/// field that few tasks have or an invalid value, is left to the general parser.
struct PlainTaskParser {
    private let bytes: [UInt8]
    private var position: Int

    private init(_ bytes: [UInt8], at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// Returns the task whose object begins at a position, and where it ends.
    ///
    /// - Parameter isLine: whether it is a line of NDJSON, which names the collection.
    static func task(in bytes: [UInt8], at position: Int, isLine: Bool) -> (task: ImportedTask, end: Int)? {
        var parser = PlainTaskParser(bytes, at: position)
        guard isLine ? parser.take("{\"collection\":\"tasks\",") : parser.take("{") else { return nil }
        return parser.task().map { ($0, parser.position) }
    }

    private mutating func task() -> ImportedTask? {
        guard take("\"id\":"), let id = uuid(), take(",\"text\":"), let text = text(), take(",\"state\":"),
            let state = state(), take(",\"createdAt\":"), let createdAt = instant(), take(",\"updatedAt\":"),
            let updatedAt = instant(), take(",\"completedAt\":")
        else { return nil }
        var task = ImportedTask(id: id, text: text, state: state, createdAt: createdAt, updatedAt: updatedAt)
        if !take("null") {
            guard let completedAt = instant() else { return nil }
            task.completedAt = completedAt
        }
        guard take(",\"scheduledDate\":") else { return nil }
        if !take("null") {
            guard let day = quotedDay() else { return nil }
            task.scheduledDate = day
        }
        guard take(",\"sortOrder\":"), let sortOrder = integer() else { return nil }
        task.sortOrder = sortOrder
        guard takeOptionalFields(of: &task), take("}") else { return nil }
        do {
            try task.settle()
        } catch {
            return nil
        }
        return task
    }

    /// The fields that many tasks have.
    private mutating func takeOptionalFields(of task: inout ImportedTask) -> Bool {
        if take(",\"note\":") {
            guard let note = text() else { return false }
            task.notes = note
        }
        if take(",\"category\":") {
            guard let category = text() else { return false }
            task.category = category
        }
        if take(",\"completedZone\":") {
            guard let zone = text() else { return false }
            task.task.completedZone = zone
        }
        if take(",\"completedOffsetSeconds\":") {
            guard let seconds = integer().flatMap(Int32.init(exactly:)) else { return false }
            task.task.completedOffsetSeconds = seconds
        }
        return true
    }

    // MARK: Values

    /// Moves behind some bytes if they come next.
    private mutating func take(_ expected: StaticString) -> Bool {
        let count = expected.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        let isNext = expected.withUTF8Buffer { expected in
            for offset in 0..<count where expected[offset] != bytes[position + offset] { return false }
            return true
        }
        if isNext { position += count }
        return isNext
    }

    /// A string without control characters and without escapes but the ones that Daybook writes.
    private mutating func text() -> String? {
        guard take("\"") else { return nil }
        var start = position
        var allBits: UInt8 = 0
        // What is before an escape.
        var decoded: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                if !decoded.isEmpty {
                    decoded += bytes[start..<(position - 1)]
                    return String(validating: decoded, as: UTF8.self)
                }
                let range = bytes[start..<(position - 1)]
                return allBits < 0x80
                    ? String(decoding: range, as: UTF8.self) : String(validating: range, as: UTF8.self)
            }
            guard byte >= 0x20 else { return nil }
            allBits |= byte
            guard byte == UInt8(ascii: "\\") else { continue }
            guard position < bytes.count, let meant = Self.meaning(ofEscape: bytes[position]) else { return nil }
            decoded += bytes[start..<(position - 1)]
            decoded.append(meant)
            position += 1
            start = position
        }
        return nil
    }

    private static func meaning(ofEscape letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    private mutating func state() -> TaskState? {
        if take("\"completed\"") { return .completed }
        if take("\"notStarted\"") { return .notStarted }
        return take("\"active\"") ? .active : nil
    }

    private mutating func uuid() -> UUID? {
        guard bytes.count - position >= 38, take("\"") else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for index in 0..<36 {
            let byte = bytes[position + index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            halves.high = halves.high << 4 | halves.low >> 60
            halves.low = halves.low << 4 | UInt64(digit)
        }
        position += 36
        return take("\"") ? UUID(high: halves.high, low: halves.low) : nil
    }

    private mutating func quotedDay() -> Day? {
        guard take("\""), let day = day(), take("\"") else { return nil }
        return day
    }

    private mutating func day() -> Day? {
        guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2) else { return nil }
        return Day(year: year, month: month, day: day)
    }

    /// An instant in UTC, such as `"2026-02-10T09:15:00.5Z"`; no leap second.
    private mutating func instant() -> Instant? {
        guard take("\""), let day = day(), take("T"), let hour = digits(2), take(":"), let minute = digits(2),
            take(":"),
            let second = digits(2), hour < 24, minute < 60, second < 60
        else { return nil }
        var microseconds = 0
        if take(".") {
            var unit = 100_000
            while unit > 0, let digit = digits(1) {
                microseconds += digit * unit
                unit /= 10
            }
            // Without a digit, which is no instant.
            if unit == 100_000 { return nil }
        }
        guard take("Z\"") else { return nil }
        let seconds = Int64(day.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return Instant(microsecondsSince1970: seconds * 1_000_000 + Int64(microseconds))
    }

    private mutating func digits(_ count: Int) -> Int? {
        guard count <= bytes.count - position else { return nil }
        var number = 0
        for offset in 0..<count {
            let digit = bytes[position + offset] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int(digit)
        }
        position += count
        return number
    }

    /// A whole number of at most 18 digits, without leading zeros.
    private mutating func integer() -> Int? {
        let isNegative = take("-")
        let start = position
        var number = 0
        while position - start < 18, let digit = digits(1) { number = number * 10 + digit }
        guard position > start, bytes[start] != UInt8(ascii: "0") || position == start + 1 && !isNegative,
            position < bytes.count
        else { return nil }
        // What follows must end the number: neither a digit nor a fraction.
        guard bytes[position] == UInt8(ascii: ",") || bytes[position] == UInt8(ascii: "}") else { return nil }
        return isNegative ? -number : number
    }
}

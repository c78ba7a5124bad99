/// A JSON parser over a file of any length, of which a moving window is in memory.
///
/// A step that comes close to the end of the window may have another result once more of the file is there. Then the
/// window is filled, twice as far each time, and the step is repeated.
package struct JSONWindow {
    /// The longest value in bytes; a file of one endless value must not exhaust memory.
    private let valueLimit: Int
    /// How close to the end is too close: no word of JSON is longer.
    private static let margin = 8

    package private(set) var parser: JSONParser
    /// The start of the last step.
    package private(set) var start = 0
    /// Where the parser was at the start of the last step.
    private var mark: JSONParser.Mark?
    private let source: ByteSource
    private let size: Int
    private var hasMore = true
    private var lines = LineCounter()

    /// Creates a window at the beginning of a file.
    ///
    /// - Parameter size: the size of the window in bytes, unless a value is longer.
    package init(
        _ source: @escaping ByteSource, size: Int = 1 << 18, valueLimit: Int = 32 << 20
    ) throws(FileError) {
        self.source = source
        self.size = size
        self.valueLimit = valueLimit
        var beginning: [UInt8] = []
        // A byte order mark has three bytes.
        while beginning.count < 3 {
            let part = try source()
            if part.isEmpty {
                hasMore = false
                break
            }
            beginning += part
        }
        parser = JSONParser(beginning)
    }

    /// Performs one step of the parser. A failure is one of the file, not of the window.
    package mutating func step<Value>(
        _ body: (inout JSONParser) throws(JSONParser.Failure) -> Value
    ) throws(FileError) -> Result<Value, JSONParser.Failure> {
        start = parser.position
        while true {
            let mark = parser.mark
            self.mark = mark
            let result: Result<Value, JSONParser.Failure>
            let reached: Int
            do throws(JSONParser.Failure) {
                result = .success(try body(&parser))
                reached = parser.position
            } catch {
                result = .failure(error)
                reached = error.offset
            }
            if !hasMore || parser.bytes.count - reached >= Self.margin { return result }
            parser.goBack(to: mark)
            guard parser.bytes.count - parser.position <= valueLimit else {
                let megabytes = valueLimit >> 20
                return .failure(parser.failure("one record is longer than \(megabytes) MiB"))
            }
            try fill()
        }
    }

    /// Lets a function read the next value its own way, from the bytes that the window has.
    ///
    /// - Parameter body: returns nil for a value that it does not know, or that is not in the window completely.
    package mutating func attempt<Value>(
        _ body: (_ bytes: [UInt8], _ position: Int) -> (value: Value, end: Int)?
    ) -> Value? {
        guard let (value, end) = body(parser.bytes, parser.position) else { return nil }
        start = parser.position
        parser.position = end
        return value
    }

    /// The next byte that is not white space; nil at the end of the file.
    package mutating func peek() throws(FileError) -> UInt8? {
        while true {
            if let byte = parser.peek() { return byte }
            guard hasMore else { return nil }
            try fill()
        }
    }

    /// Skips one byte if it comes next after white space.
    package mutating func skip(_ byte: UInt8) throws(FileError) {
        if try peek() == byte { parser.position += 1 }
    }

    /// Returns to the start of the last step, whose failure was one of the file.
    package mutating func goBack() {
        if let mark { parser.goBack(to: mark) }
    }

    /// Moves to the end of the line in which the last step began.
    package mutating func skipLine() throws(FileError) {
        parser.skipLine(from: start)
        while parser.position == parser.bytes.count, hasMore {
            try fill()
            parser.skipLine(from: 0)
        }
    }

    /// The line of an offset into the window.
    package mutating func line(at offset: Int) -> Int {
        lines.line(at: offset, in: parser.bytes)
    }

    /// Drops the bytes before the position, and reads more.
    private mutating func fill() throws(FileError) {
        lines.drop(parser.position, of: parser.bytes)
        let rest = parser.bytes.count - parser.position
        let target = min(max(size, 2 * rest), max(valueLimit, rest) + Self.margin)
        parser.slide(room: target)
        start = 0
        while parser.bytes.count < target {
            let part = try source()
            if part.isEmpty {
                hasMore = false
                return
            }
            parser.append(part)
        }
    }
}

/// Computes the line of an offset. Lines are counted only when asked for or when bytes are dropped, each part of the
/// file once.
package struct LineCounter {
    private var offset = 0
    private var line = 1

    /// Returns the line, from 1, of an offset that is not before the previous one.
    package mutating func line(at target: Int, in bytes: [UInt8]) -> Int {
        let end = min(target, bytes.count)
        if offset < end {
            var ends = 0
            let part = bytes.span.extracting(offset..<end)
            // Without a branch for each byte: every byte of a file passes here.
            for index in part.indices { ends &+= part[index] == UInt8(ascii: "\n") ? 1 : 0 }
            line += ends
            offset = end
        }
        return line
    }

    /// Counts the lines of bytes that are about to be dropped.
    package mutating func drop(_ count: Int, of bytes: [UInt8]) {
        _ = line(at: count, in: bytes)
        offset -= count
    }
}

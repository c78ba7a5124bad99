/// The contents of a zone file (TZif, RFC 9636, version 2 or later): what is needed of it, checked.
///
/// The 64-bit block and the rule in the footer are read; the 32-bit block before them and the zones' abbreviations are
/// not. No byte of the file is trusted: counts are held against the file's length, times and offsets against bounds.
struct ZoneFile {
    /// Why a file cannot be used.
    enum Problem: Error, Equatable {
        /// It does not begin as a zone file does.
        case notAZoneFile
        /// It begins as one, but then something is wrong.
        case damaged(String)
    }

    /// No zone is further from UTC (the RFC's bound is 25:59:59).
    static let offsetMax = 26 * 3600
    /// The largest time that makes sense, some 18 billion years: zic writes -2^59 for "always".
    private static let secondMax = 1 << 59

    /// The offset before the first transition.
    let firstOffset: Int
    /// The seconds (UTC, ascending) from which another offset holds.
    let transitions: [(second: Int, offset: Int)]
    /// The rule after the last transition; nil when the file has none, then the last offset stays in effect.
    let rule: PosixRule?
    /// The rule as the file has it.
    let ruleText: String?

    /// What a file would hold in which nothing but the rule ever applied.
    init(rule: PosixRule) {
        firstOffset = rule.offset
        transitions = []
        self.rule = rule
        ruleText = nil
    }

    init(_ bytes: [UInt8]) throws(Problem) {
        do {
            try self.init(reading: bytes)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .damaged("it is cut off")
        }
    }

    private init(reading bytes: [UInt8]) throws {
        var reader = ByteReader(bytes)
        let first = try Header(&reader)
        guard first.version >= UInt8(ascii: "2") else { throw Problem.damaged("it is of version 1") }
        try reader.skip(first.bodySize(timeSize: 4))
        let header = try Header(&reader)
        guard header.bodySize(timeSize: 8) <= reader.remaining else { throw ByteReader.Truncated() }
        guard header.leapCount == 0 else { throw Problem.damaged("it counts leap seconds") }
        guard header.typeCount > 0 else { throw Problem.damaged("it has no offset") }

        let seconds = try ZoneFile.seconds(header.timeCount, &reader)
        let indices = try reader.bytes(header.timeCount)
        let offsets = try ZoneFile.offsets(header.typeCount, &reader)
        guard indices.allSatisfy({ Int($0) < offsets.count }) else { throw Problem.damaged("an index is too large") }
        try reader.skip(header.characterCount + header.standardCount + header.utcCount)

        firstOffset = offsets[0]
        transitions = zip(seconds, indices).map { ($0, offsets[Int($1)]) }
        let text = try ZoneFile.footer(&reader)
        rule = try text.map { (text) throws(Problem) in
            guard let rule = PosixRule(text) else { throw .damaged("its footer is not a POSIX rule") }
            return rule
        }
        ruleText = text.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func seconds(_ count: Int, _ reader: inout ByteReader) throws -> [Int] {
        var seconds: [Int] = []
        seconds.reserveCapacity(count)
        var previous = Int.min
        for _ in 0..<count {
            let second = Int(try reader.int64())
            guard second > previous, abs(second.clamped) <= secondMax else {
                throw Problem.damaged("its transitions are out of order")
            }
            seconds.append(second)
            previous = second
        }
        return seconds
    }

    private static func offsets(_ count: Int, _ reader: inout ByteReader) throws -> [Int] {
        var offsets: [Int] = []
        for _ in 0..<count {
            let offset = Int(try reader.int32())
            guard abs(offset) < offsetMax else { throw Problem.damaged("an offset is too large") }
            offsets.append(offset)
            // Whether it is daylight saving time, and which abbreviation it has: neither changes an answer.
            try reader.skip(2)
        }
        return offsets
    }

    /// The rule is between two newlines; an empty line means that none is known.
    private static func footer(_ reader: inout ByteReader) throws -> [UInt8]? {
        guard try reader.byte() == UInt8(ascii: "\n") else { throw Problem.damaged("its footer is missing") }
        var text: [UInt8] = []
        while true {
            let byte = try reader.byte()
            if byte == UInt8(ascii: "\n") { break }
            text.append(byte)
        }
        return text.isEmpty ? nil : text
    }
}

extension ZoneFile {
    /// The 44-byte header of each block.
    private struct Header {
        let version: UInt8
        let utcCount: Int
        let standardCount: Int
        let leapCount: Int
        let timeCount: Int
        let typeCount: Int
        let characterCount: Int

        init(_ reader: inout ByteReader) throws {
            guard reader.remaining >= 4, try reader.bytes(4).elementsEqual("TZif".utf8) else {
                throw reader.position <= 4 ? Problem.notAZoneFile : Problem.damaged("its second block is missing")
            }
            version = try reader.byte()
            try reader.skip(15)
            utcCount = try reader.count()
            standardCount = try reader.count()
            leapCount = try reader.count()
            timeCount = try reader.count()
            typeCount = try reader.count()
            characterCount = try reader.count()
        }

        /// The counts have 32 bits, so no sum here can overflow.
        func bodySize(timeSize: Int) -> Int {
            timeCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4) + standardCount
                + utcCount
        }
    }
}

extension Int {
    /// `Int.min` has no absolute value; one more has.
    fileprivate var clamped: Int { Swift.max(self, -Int.max) }
}

/// Reads big-endian numbers from bytes that may be cut off or hostile.
struct ByteReader {
    /// The bytes end before what they promise.
    struct Truncated: Error {}

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - position }

    mutating func skip(_ count: Int) throws(Truncated) {
        guard count <= remaining else { throw Truncated() }
        position += count
    }

    mutating func bytes(_ count: Int) throws(Truncated) -> ArraySlice<UInt8> {
        let start = position
        try skip(count)
        return bytes[start..<position]
    }

    mutating func byte() throws(Truncated) -> UInt8 {
        try skip(1)
        return bytes[position - 1]
    }

    /// A count or an index: 32 bits without a sign.
    mutating func count() throws(Truncated) -> Int {
        var value = 0
        for byte in try bytes(4) { value = value << 8 | Int(byte) }
        return value
    }

    mutating func int32() throws(Truncated) -> Int32 {
        Int32(truncatingIfNeeded: try count())
    }

    mutating func int64() throws(Truncated) -> Int64 {
        let high = try count()
        return Int64(truncatingIfNeeded: high << 32 | (try count()))
    }
}

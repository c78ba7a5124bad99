import CivilTime
import KeyValue

/// How far the scrub of a store has come. It is stored in the store, so that the next portion resumes there.
///
/// Stored under `scrub` in the table `meta`: version 1 (1 byte), when the pass began and when the last one ended (8 bytes each, the
/// lowest number for never), entries and problems (8 bytes each), all little-endian; the length of a table's name (1 byte, 0
/// between two passes), the name, and the key of the entry that was checked last.
public struct ScrubProgress: Sendable, Equatable {
    /// Where a pass resumes.
    struct Position: Equatable {
        /// The table.
        var table: String
        /// The last entry that was checked; nil at the table's beginning.
        var key: KeyBytes?
    }

    /// When the pass began that is under way, or the last one if none is.
    public internal(set) var beganAt: Instant?
    /// When the last pass came to its end.
    public internal(set) var endedAt: Instant?
    /// How many entries this pass has checked.
    public internal(set) var entries = 0
    /// How many problems it has found.
    public internal(set) var problems = 0
    /// Nil between two passes.
    var position: Position?

    /// Whether a pass was begun and has not come to its end.
    public var isUnderWay: Bool { position != nil }

    init() {}

    var encoded: [UInt8] {
        var bytes: [UInt8] = [1]
        for instant in [beganAt, endedAt] { bytes.append(littleEndian: instant?.microsecondsSince1970 ?? .min) }
        for number in [entries, problems] { bytes.append(littleEndian: UInt64(clamping: number)) }
        let name = position.map { Array($0.table.utf8) } ?? []
        bytes.append(UInt8(clamping: name.count))
        bytes += name
        bytes += position?.key?.array ?? []
        return bytes
    }

    /// Nil for bytes of another version: a new pass begins then.
    init?(decoding bytes: RawSpan) {
        guard bytes.byteCount >= 34, bytes[byteAt: 0] == 1 else { return nil }
        func instant(_ offset: Int) -> Instant? {
            let number: Int64 = bytes.littleEndian(at: offset)
            return number == .min ? nil : Instant(microsecondsSince1970: number)
        }
        beganAt = instant(1)
        endedAt = instant(9)
        entries = Int(clamping: bytes.littleEndian(at: 17, as: UInt64.self))
        problems = Int(clamping: bytes.littleEndian(at: 25, as: UInt64.self))
        let count = Int(bytes[byteAt: 33])
        guard count > 0 else { return }
        guard bytes.byteCount >= 34 + count, bytes.byteCount <= 34 + count + 64 else { return nil }
        let name = String(decoding: bytes.extracting(34..<(34 + count)).copied, as: UTF8.self)
        let key = bytes.extracting((34 + count)..<bytes.byteCount)
        position = Position(table: name, key: key.byteCount == 0 ? nil : KeyBytes(copying: key))
    }
}

/// What a portion of a scrub has found.
public struct ScrubReport: Sendable, Equatable {
    /// How far the scrub is now.
    public internal(set) var progress = ScrubProgress()
    /// How many bytes of entries were read.
    public internal(set) var bytes = 0
    /// What is wrong, one line each, without any content of a record; of very many the first ones.
    public internal(set) var problems: [String] = []
    /// Whether the end of the store was reached: the next portion begins another pass.
    public var isAtEnd: Bool { !progress.isUnderWay }
}

/// A durable record of how a store commits: the file `commits` has three places for them (Documentation/Format.md).
///
/// The valid slot with the highest number is the current one.
struct CommitSlot: Equatable {
    /// How commits become durable.
    enum Mode: UInt32 {
        /// LMDB commits by itself.
        case direct = 0
        /// A commit is a record in the log, and LMDB follows without a flush.
        case logged = 1
        /// A flush of the data file has failed: nobody writes until one process opens the store alone.
        case stopped = 2
    }

    /// Above that of every slot before.
    var number: UInt64
    var mode: Mode
    /// The LMDB transaction to which the data file can always be restored.
    var checkpoint: UInt64 = 0
    /// The random token of the process that writes in logged mode.
    var owner: UInt64 = 0
    /// The chain value of the log's first record: random, so that no record from before this slot is taken for one.
    var seed: UInt64 = 0
    /// How many bytes of the log have been filled with zeros and flushed.
    var logLength: UInt64 = 0
    /// The beginnings of pages 0 and 1 of the data file at the checkpoint; empty in direct mode.
    var metaPages: MetaPages?

    /// The beginnings of the data file's first two pages, which hold LMDB's meta pages.
    struct MetaPages: Equatable {
        static let byteCount = 512
        var even: [UInt8]
        var odd: [UInt8]
    }

    // MARK: Bytes

    private static let magic: UInt64 = 0x0001_6F6C_7944_4C43
    /// With the checksum at its end.
    static let byteCount = 56 + 2 * MetaPages.byteCount + 8
    private static let checksumSeed: UInt64 = 20

    /// The hash of all that comes before it.
    var checksum: UInt64 { Self.checksum(of: body) }

    private static func checksum(of body: [UInt8]) -> UInt64 { body.hash(seed: checksumSeed) }

    private var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for word in [Self.magic, number, UInt64(mode.rawValue), checkpoint, owner, seed, logLength] {
            bytes.append(littleEndian: word)
        }
        for page in [metaPages?.even, metaPages?.odd] {
            bytes += page ?? [UInt8](repeating: 0, count: MetaPages.byteCount)
        }
        return bytes
    }

    /// The bytes that are written.
    var encoded: [UInt8] {
        var bytes = body
        bytes.append(littleEndian: Self.checksum(of: bytes))
        return bytes
    }

    init(number: UInt64, mode: Mode, logLength: UInt64 = 0) {
        self.number = number
        self.mode = mode
        self.logLength = logLength
    }

    /// A slot of its bytes; nil when they are not those of one: a place that was never written, or torn.
    init?(decoding bytes: RawSpan) {
        guard bytes.byteCount >= Self.byteCount, bytes.littleEndian(at: 0, as: UInt64.self) == Self.magic else {
            return nil
        }
        let body = bytes.extracting(first: Self.byteCount - 8)
        guard
            XXHash64.hash(body, seed: Self.checksumSeed) == bytes.littleEndian(at: Self.byteCount - 8, as: UInt64.self),
            let mode = UInt32(exactly: bytes.littleEndian(at: 16, as: UInt64.self)).flatMap(Mode.init)
        else { return nil }
        self.mode = mode
        number = bytes.littleEndian(at: 8)
        checkpoint = bytes.littleEndian(at: 24)
        owner = bytes.littleEndian(at: 32)
        seed = bytes.littleEndian(at: 40)
        logLength = bytes.littleEndian(at: 48)
        guard mode != .direct else { return }
        let start = 56
        metaPages = MetaPages(
            even: bytes.extracting(start..<start + MetaPages.byteCount).copied,
            odd: bytes.extracting((start + MetaPages.byteCount)..<(start + 2 * MetaPages.byteCount)).copied)
    }
}

/// Which slot's flush has returned. Never flushed itself: without it, a slot counts as one that may be in the page cache only.
struct SlotConfirmation: Equatable {
    var number: UInt64
    var position: Int
    /// Of the slot.
    var checksum: UInt64

    static let byteCount = 32

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for word in [number, UInt64(position), checksum] { bytes.append(littleEndian: word) }
        bytes.append(littleEndian: bytes.hash(seed: 21))
        return bytes
    }

    init(number: UInt64, position: Int, checksum: UInt64) {
        self.number = number
        self.position = position
        self.checksum = checksum
    }

    /// Nil when it was torn, or never written.
    init?(decoding bytes: RawSpan) {
        guard bytes.byteCount >= Self.byteCount,
            XXHash64.hash(bytes.extracting(first: 24), seed: 21) == bytes.littleEndian(at: 24, as: UInt64.self),
            let position = Int(exactly: bytes.littleEndian(at: 8, as: UInt64.self)), 0..<CommitSlots.count ~= position
        else { return nil }
        self.init(number: bytes.littleEndian(at: 0), position: position, checksum: bytes.littleEndian(at: 16))
    }
}

/// The three places for slots and the confirmation, as they were read.
struct CommitSlots: Equatable {
    static let count = 3
    /// Slots and confirmation are at multiples of it: no write touches another one's page.
    static let spacing = 4096
    static let confirmationOffset = count * spacing
    /// Where the log begins.
    static let byteCount = (count + 1) * spacing

    /// By their position.
    private(set) var slots: [CommitSlot?]
    private(set) var confirmation: SlotConfirmation?
    /// The position of the current slot; nil when none is valid.
    private(set) var currentPosition: Int?
    /// Whether the flush of the current slot is known to have returned.
    private(set) var isConfirmed = false

    /// None.
    init() {
        slots = [CommitSlot?](repeating: nil, count: Self.count)
    }

    /// Those in the first `byteCount` bytes of the file.
    init(decoding bytes: RawSpan) {
        slots = (0..<Self.count).map { position in
            let start = position * Self.spacing
            guard start + CommitSlot.byteCount <= bytes.byteCount else { return nil }
            return CommitSlot(decoding: bytes.extracting(start..<start + CommitSlot.byteCount))
        }
        currentPosition =
            slots.indices.filter { slots[$0] != nil }.max { slots[$0]?.number ?? 0 < slots[$1]?.number ?? 0 }
        let place = Self.confirmationOffset
        guard place + SlotConfirmation.byteCount <= bytes.byteCount else { return }
        confirmation = SlotConfirmation(decoding: bytes.extracting(place..<place + SlotConfirmation.byteCount))
        guard let position = currentPosition, let slot = slots[position] else { return }
        isConfirmed =
            confirmation == SlotConfirmation(number: slot.number, position: position, checksum: slot.checksum)
    }

    var current: CommitSlot? { currentPosition.flatMap { slots[$0] } }

    /// The current slot of a store.
    ///
    /// - Throws: `damaged` when none can be read, or not the last one: an older one would let go of what was committed since.
    func checkedCurrent(ofStore path: String) throws(KeyValueError) -> CommitSlot {
        guard let current else { throw .damaged(path: path, detail: "no slot of its commit log can be read") }
        // Confirmed only after its flush has returned, and overwritten only by a later one's successor.
        guard confirmation?.number ?? 0 <= current.number else {
            throw .damaged(path: path, detail: "the newest slot of its commit log cannot be read")
        }
        return current
    }

    /// Where the next slot goes: neither the current slot nor the confirmed one may be torn by it.
    var freePosition: Int {
        (0..<Self.count).first { $0 != currentPosition && $0 != confirmation?.position } ?? 0
    }
}

extension [UInt8] {
    /// Appends an integer, its lowest byte first.
    mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
        for place in 0..<Value.bitWidth / 8 { append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
    }

    /// Their hash.
    func hash(seed: UInt64) -> UInt64 { unsafe XXHash64.hash(span.bytes, seed: seed) }
}

import FoundationEssentials

/// The limits of the protocol's first version.
public enum SyncProtocol {
    /// The version that this program speaks.
    public static let version: UInt16 = 1
    /// How many units a request or an answer has at most.
    public static let unitLimit = 512
    /// How many bytes the units of a request or an answer have at most.
    public static let byteLimit = 1 << 20
    /// How many bytes a message has at most: units, and room for all else.
    public static let messageLimit = byteLimit + 64 << 10
    /// How many bytes the body of one unit has at most; larger values are sent in parts.
    public static let bodyLimit = 512 << 10
    /// How many microseconds a stamp may be ahead of the hub's clock.
    public static let clockTolerance: Int64 = 60_000_000
}

/// Push and pull in one round trip.
public struct SyncRequest: Sendable, Hashable {
    /// The version of the protocol.
    public var version: UInt16 = SyncProtocol.version
    /// The last epoch of the hub's space that the device received; nil before its first answer. A restored hub has another.
    public var epoch: UUID?
    /// The number of this push: above that of every push with other units. 0 without units.
    public var pushNumber: UInt64
    /// The number of the last unit that the device has applied.
    public var after: Int64
    /// The units to keep.
    public var units: [SyncUnit]

    /// A request.
    public init(epoch: UUID?, pushNumber: UInt64, after: Int64, units: [SyncUnit]) {
        self.epoch = epoch
        self.pushNumber = pushNumber
        self.after = after
        self.units = units
    }

    /// The message.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        writer.put(UInt64(version))
        writer.put([epoch].compactMap { $0 }) { $1.put($0) }
        writer.put(pushNumber)
        writer.put(after)
        writer.put(units) { $0.write(to: &$1) }
        return writer.bytes
    }

    /// Reads a message.
    public init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        version = try reader.small()
        let epochs = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in try reader.uuid() }
        guard epochs.count <= 1 else { throw MalformedMessage() }
        epoch = epochs.first
        pushNumber = try reader.unsigned()
        after = try reader.signed()
        units = try reader.list(SyncUnit.init)
        try reader.end()
    }
}

/// What the hub did with one pushed unit.
public enum UnitResult: UInt8, Sendable, Hashable, CaseIterable {
    /// It is kept, or was already.
    case accepted = 0
    /// The hub has a larger key, and sends that unit along.
    case superseded = 1
    /// The hub cannot keep this unit: too large a body, or a key that is none.
    case refused = 2
}

/// The answer to a `SyncRequest`.
public struct SyncAnswer: Sendable, Hashable {
    /// The epoch of the space.
    public var epoch: UUID
    /// One result for each pushed unit.
    public var results: [UnitResult]
    /// The units behind those that the device has, in their order, without those of this push; and the winners over superseded
    /// ones, wherever they stand.
    public var units: [NumberedUnit]
    /// The number to continue from.
    public var next: Int64
    /// The highest number in the space, this push included.
    public var head: Int64
    /// The sum of the digests of all units in the space.
    public var digest: UInt64
    /// The hub's clock, in microseconds since 1970.
    public var time: Int64

    /// An answer.
    public init(
        epoch: UUID, results: [UnitResult], units: [NumberedUnit], next: Int64, head: Int64, digest: UInt64, time: Int64
    ) {
        self.epoch = epoch
        self.results = results
        self.units = units
        self.next = next
        self.head = head
        self.digest = digest
        self.time = time
    }

    /// The message.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        writer.put(epoch)
        writer.put(results) { $1.put(UInt64($0.rawValue)) }
        writer.put(units) { $0.write(to: &$1) }
        writer.put(next)
        writer.put(head)
        writer.putFixed(digest)
        writer.put(time)
        return writer.bytes
    }

    /// Reads a message.
    public init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        epoch = try reader.uuid()
        results = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in
            guard let result = try UnitResult(rawValue: reader.small()) else { throw MalformedMessage() }
            return result
        }
        units = try reader.list(NumberedUnit.init)
        next = try reader.signed()
        head = try reader.signed()
        digest = try reader.fixed()
        time = try reader.signed()
        try reader.end()
    }
}

/// Asks for all units of some records: of one that comes back to life, for example.
public struct RecordsRequest: Sendable, Hashable {
    /// The records.
    public var records: [UUID]

    /// A request.
    public init(records: [UUID]) { self.records = records }

    /// The message.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        writer.put(records) { $1.put($0) }
        return writer.bytes
    }

    /// Reads a message.
    public init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        records = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in try reader.uuid() }
        try reader.end()
    }
}

/// The answer to a `RecordsRequest`.
public struct RecordsAnswer: Sendable, Hashable {
    /// All units of the records that the hub has.
    public var units: [NumberedUnit]

    /// An answer.
    public init(units: [NumberedUnit]) { self.units = units }

    /// The message.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        writer.put(units) { $0.write(to: &$1) }
        return writer.bytes
    }

    /// Reads a message.
    public init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        units = try reader.list(NumberedUnit.init)
        try reader.end()
    }
}

/// A request that the hub did not carry out, and what the device does then. Each has one HTTP status.
public enum SyncRefusal: Error, Sendable, Hashable {
    /// 400: the message cannot be read. The device sends halves until it has found the unit, and parks that one.
    case malformed
    /// 401: the token has expired. The device authenticates once more.
    case unauthorized
    /// 403: the device was revoked. It stops and keeps everything.
    case forbidden
    /// 404: the hub does not know the space. The device stops, and never deletes.
    case unknownSpace
    /// 409: the hub's space has another history, since it was restored.
    case epochChanged(UUID)
    /// 409: the number of this push was used with other units, by a copy of this device.
    case forked
    /// 413: too many units or bytes. The device sends less at once.
    case tooLarge
    /// 422: a stamp is too far ahead of the hub's clock, which shows this many microseconds since 1970.
    case clockAhead(time: Int64)
    /// 426: the hub has left this version of the protocol behind.
    case upgradeRequired
    /// 429: too many requests; after so many seconds.
    case busy(retryAfter: Int)
    /// 5xx, or no answer at all.
    case unavailable
    /// 507: the space has no room left.
    case full

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .malformed: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .unknownSpace: 404
        case .epochChanged, .forked: 409
        case .tooLarge: 413
        case .clockAhead: 422
        case .upgradeRequired: 426
        case .busy: 429
        case .unavailable: 503
        case .full: 507
        }
    }

    /// The body of the answer: a name and, for some, a value.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .epochChanged(let epoch):
            writer.put("epoch")
            writer.put(epoch)
        case .forked: writer.put("forked")
        case .clockAhead(let time):
            writer.put("clock")
            writer.put(time)
        case .busy(let seconds):
            writer.put("busy")
            writer.put(Int64(seconds))
        default: break
        }
        return writer.bytes
    }

    /// The refusal of a status and its body; `unavailable` for a status that the protocol does not have.
    public init(status: Int, body: [UInt8]) {
        var reader = WireReader(body)
        let name = try? reader.text()
        switch status {
        case 400: self = .malformed
        case 401: self = .unauthorized
        case 403: self = .forbidden
        case 404: self = .unknownSpace
        case 409:
            if name == "epoch", let epoch = try? reader.uuid() { self = .epochChanged(epoch) } else { self = .forked }
        case 413: self = .tooLarge
        case 422: self = .clockAhead(time: (try? reader.signed()) ?? 0)
        case 426: self = .upgradeRequired
        case 429: self = .busy(retryAfter: Int((try? reader.signed()) ?? 1))
        case 507: self = .full
        default: self = .unavailable
        }
    }
}

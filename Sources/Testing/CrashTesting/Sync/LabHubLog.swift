import DiskRecording
import FoundationEssentials
import Glibc
import KeyValue
import Records
import Sync
import Threading

/// The messages that a hub has taken, in a file beside the store of a recorded run: each is there before it is answered. So a
/// crash image contains what the hub had when the device crashed.
struct LabHubLog {
    private(set) var hub = LabHub()
    private let descriptor: Int32

    /// Where the log lies below the recorded folder.
    static let path = "home/hub"

    /// Opens the log in a folder and takes what is in it.
    init(in folder: String) throws {
        let path = "\(folder)/\(Self.path)"
        hub = Self.hub(of: FolderFiles.bytes(of: path) ?? [])
        // Synchronous, since a hub's answer promises that its database has the units.
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_DSYNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CrashLabError.system(operation: "open \(path)", code: errno) }
    }

    func end() { close(descriptor) }

    /// Takes a message and returns the answer to a request.
    @discardableResult
    mutating func take(_ message: LabHub.Message) throws -> SyncAnswer? {
        let content = message.encoded
        let bytes = Self.bytes(UInt64(content.count)) + Self.bytes(Self.checksum(content)) + content
        let written = write(descriptor, bytes, bytes.count)
        guard written == bytes.count else {
            throw CrashLabError.system(operation: "write the log of the hub", code: written < 0 ? errno : ENOSPC)
        }
        return try hub.take(message)
    }

    /// The hub after the whole messages of a log. What a crash tore was not answered.
    static func hub(of bytes: [UInt8]) -> LabHub {
        var hub = LabHub()
        for message in messages(of: bytes) { _ = try? hub.take(message) }
        return hub
    }

    static func messages(of bytes: [UInt8]) -> [LabHub.Message] {
        var messages: [LabHub.Message] = []
        var rest = bytes[...]
        while let count = number(rest), let sum = number(rest.dropFirst(8)), count <= rest.count - 16 {
            let content = Array(rest.dropFirst(16).prefix(Int(count)))
            guard checksum(content) == sum, let message = LabHub.Message(content) else { break }
            messages.append(message)
            rest = rest.dropFirst(16 + Int(count))
        }
        return messages
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { XXHash64.hash(bytes.span.bytes, seed: 18) }

    fileprivate static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    fileprivate static func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        guard bytes.count >= 8 else { return nil }
        return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension LabHub.Message {
    /// A kind, two numbers, and the bytes of a request.
    fileprivate var encoded: [UInt8] {
        func bytes(_ kind: UInt8, _ first: Int64 = 0, _ second: UInt64 = 0, _ request: [UInt8] = []) -> [UInt8] {
            [kind] + LabHubLog.bytes(UInt64(bitPattern: first)) + LabHubLog.bytes(second) + request
        }
        return switch self {
        case .sync(let request, let device, let time): bytes(1, time, device, request.encoded)
        case .restore(let messages): bytes(2, Int64(messages))
        case .copy(let device): bytes(3, 0, device)
        case .clock(let seconds): bytes(4, seconds)
        case .lose(let count): bytes(5, Int64(count))
        case .refuse: bytes(6)
        }
    }

    fileprivate init?(_ bytes: [UInt8]) {
        guard let kind = bytes.first, let number = LabHubLog.number(bytes[1...]),
            let device = LabHubLog.number(bytes.dropFirst(9))
        else { return nil }
        let first = Int64(bitPattern: number)
        switch kind {
        case 1:
            guard let request = try? SyncRequest(decoding: Array(bytes.dropFirst(17))) else { return nil }
            self = .sync(request, device: device, time: first)
        case 2: self = .restore(messages: Int(first))
        case 3: self = .copy(device: device)
        case 4: self = .clock(secondsAhead: first)
        case 5: self = .lose(units: Int(first))
        case 6: self = .refuse
        default: return nil
        }
    }
}

/// The way to a hub in memory, for what a device does after a crash.
final class LabTransport: SyncTransport {
    private let state: ForkSafeMutex<LabHub>
    private let device: ForkSafeMutex<UInt64>
    private let time: Int64

    /// - Parameter time: the devices' time, in microseconds since 1970.
    init(_ hub: LabHub, device: UInt64, time: Int64) {
        state = ForkSafeMutex(hub)
        self.device = ForkSafeMutex(device)
        self.time = time
    }

    var hub: LabHub { state.withLock { $0 } }

    /// Takes requests as those of another device from now on.
    func adopt(_ other: UInt64) { device.withLock { $0 = other } }

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        let device = device.withLock { $0 }
        let answer = state.withLock { hub in
            Result { () throws(SyncRefusal) in try hub.take(.sync(request, device: device, time: time)) }
        }
        guard let answer = try answer.get() else { throw .unavailable }
        return answer
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        state.withLock { $0.records(request) }
    }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { hub.head }
}

/// Sealing that hides nothing: names are hashes, and bodies carry a sum, so that a mix-up of metadata is found.
struct LabSealing: UnitSealing {
    func name(ofRecord key: [UInt8], in collection: UInt32) -> UUID {
        UUID(
            high: XXHash64.hash(key.span.bytes, seed: UInt64(collection)),
            low: XXHash64.hash(key.span.bytes, seed: ~UInt64(collection)))
    }

    func seal(_ body: [UInt8], as unit: SyncUnit) -> [UInt8] { body + LabHubLog.bytes(sum(body, unit)) }

    func open(_ unit: SyncUnit) throws(SealingError) -> [UInt8] {
        let body = Array(unit.body.dropLast(8))
        guard Array(unit.body.suffix(8)) == LabHubLog.bytes(sum(body, unit)) else { throw .forged }
        return body
    }

    private func sum(_ body: [UInt8], _ unit: SyncUnit) -> UInt64 {
        XXHash64.hash(body.span.bytes, seed: unit.digest &+ UInt64(unit.flags.rawValue))
    }
}

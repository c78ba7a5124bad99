import Glibc

/// One way in which the disk refuses a call.
struct DiskFault: Sendable, Hashable {
    enum Effect: UInt32, Sendable {
        /// The call is not made.
        case fails = 0
        /// Half of the bytes are written.
        case writesShort
        /// The call is made, and reports an error all the same.
        case failsAfter
    }

    enum Place: UInt32, Sendable {
        case any = 0
        /// Writes that are durable when they return: LMDB's meta pages. For opens: those for writing.
        case synchronous
        /// All other writes: pages, and our own files.
        case buffered
    }

    let kind: DiskCall.Kind
    var effect = Effect.fails
    let error: Int32
    var place = Place.any
    /// How many calls in a row are refused; 0 for all.
    var count = 1

    /// `write-short.5.buffered.x1`: what a recipe says.
    var text: String { "\(kind.name)-\(effect).\(error).\(place).x\(count)" }

    /// What the coverage table counts.
    var name: String {
        let effect = effect == .writesShort ? "short write" : Self.names[error, default: "error \(error)"]
        let place = place == .synchronous && kind == .write ? " of the meta page" : ""
        let landed = self.effect == .failsAfter ? ", landed" : ""
        let times = count == 0 ? ", for ever" : count > 1 ? ", \(count) times" : ""
        return "\(kind.name)\(place): \(effect)\(landed)\(times)"
    }

    private static let names: [Int32: String] = [
        ENOSPC: "ENOSPC", EIO: "EIO", EINTR: "EINTR", EMFILE: "EMFILE", ENOMEM: "ENOMEM", EROFS: "EROFS",
    ]

    /// Every kind that the specification names.
    static let all: [DiskFault] = [
        DiskFault(kind: .write, error: ENOSPC),
        DiskFault(kind: .write, error: ENOSPC, count: 0),
        DiskFault(kind: .write, effect: .writesShort, error: 0),
        DiskFault(kind: .write, effect: .writesShort, error: 0, count: 0),
        DiskFault(kind: .write, error: EIO, place: .buffered),
        DiskFault(kind: .write, error: EIO, place: .buffered, count: 0),
        DiskFault(kind: .write, error: EIO, place: .synchronous),
        DiskFault(kind: .write, effect: .failsAfter, error: EIO, place: .synchronous),
        DiskFault(kind: .write, error: EINTR, count: 3),
        DiskFault(kind: .write, error: ENOMEM),
        DiskFault(kind: .flushData, error: EIO),
        DiskFault(kind: .flushData, error: EIO, count: 0),
        DiskFault(kind: .flushData, error: ENOSPC),
        DiskFault(kind: .flushData, error: EINTR),
        DiskFault(kind: .flush, error: EIO),
        DiskFault(kind: .flush, error: ENOSPC, count: 0),
        DiskFault(kind: .open, error: EMFILE),
        DiskFault(kind: .open, error: EMFILE, count: 0),
        DiskFault(kind: .open, error: ENOMEM),
        DiskFault(kind: .open, error: EINTR),
        DiskFault(kind: .map, error: ENOMEM),
        DiskFault(kind: .rename, error: EIO),
        DiskFault(kind: .makeFolder, error: ENOSPC),
        DiskFault(kind: .remove, error: EIO),
        DiskFault(kind: .resize, error: ENOSPC),
    ]
}

extension DiskFault {
    init?(_ text: some StringProtocol) {
        guard let fault = Self.all.first(where: { $0.text == text }) else { return nil }
        self = fault
    }
}

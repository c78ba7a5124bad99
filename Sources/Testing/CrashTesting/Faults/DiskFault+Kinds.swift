import Glibc

extension DiskFault {
    /// Every way of failing that the specification names; each strikes one call after the other.
    static let kinds: [DiskFault] = [
        DiskFault(kind: .write, error: ENOSPC),
        DiskFault(kind: .write, count: 0, error: ENOSPC),
        DiskFault(kind: .write, effect: .writesShort, error: 0),
        DiskFault(kind: .write, effect: .writesShort, count: 0, error: 0),
        DiskFault(kind: .write, error: EIO, only: .others),
        DiskFault(kind: .write, count: 0, error: EIO, only: .others),
        DiskFault(kind: .write, error: EIO, only: .synchronousOrWriting),
        DiskFault(kind: .write, effect: .failsAfter, error: EIO, only: .synchronousOrWriting),
        DiskFault(kind: .write, count: 3, error: EINTR),
        DiskFault(kind: .write, error: ENOMEM),
        DiskFault(kind: .flushData, error: EIO),
        DiskFault(kind: .flushData, count: 0, error: EIO),
        DiskFault(kind: .flushData, error: ENOSPC),
        DiskFault(kind: .flushData, error: EINTR),
        DiskFault(kind: .flush, error: EIO),
        DiskFault(kind: .flush, count: 0, error: ENOSPC),
        DiskFault(kind: .open, error: EMFILE),
        DiskFault(kind: .open, count: 0, error: EMFILE),
        DiskFault(kind: .open, error: ENOMEM),
        DiskFault(kind: .open, error: EINTR),
        DiskFault(kind: .map, error: ENOMEM),
        DiskFault(kind: .rename, error: EIO),
        DiskFault(kind: .makeFolder, error: ENOSPC),
        DiskFault(kind: .remove, error: EIO),
        DiskFault(kind: .resize, error: ENOSPC),
    ]

    /// What the coverage table calls it.
    var name: String {
        let failure = effect == .writesShort ? "short" : Self.errorNames[error, default: "error \(error)"]
        let place = only == .synchronousOrWriting ? " of the meta page" : ""
        let landed = effect == .failsAfter ? ", though it was made" : ""
        let times = count == 0 ? ", for ever" : count > 1 ? ", \(count) times" : ""
        return "\(kind)\(place): \(failure)\(landed)\(times)"
    }

    /// `write.fails.28.any.1`: what a recipe says.
    var text: String { "\(kind).\(effect).\(error).\(only).\(count)" }

    init?(kindText text: some StringProtocol) {
        guard let kind = (Self.kinds + Self.archiveKinds).first(where: { $0.text == text }) else { return nil }
        self = kind
    }

    private static let errorNames: [Int32: String] = [
        ENOSPC: "ENOSPC", EIO: "EIO", EINTR: "EINTR", EMFILE: "EMFILE", ENOMEM: "ENOMEM", EDQUOT: "EDQUOT",
        EPERM: "EPERM",
    ]
}

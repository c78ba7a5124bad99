import Glibc

extension DiskFault {
    /// How the calls that write files fail, each one after the other: no space, no share of it, and a disk that fails; once
    /// and for ever. A link may not be possible at all. Setting a file's size is not among them: no operation on files does
    /// that. A store that is opened without a `lock.mdb` does it to the new one, which is among the faults of stores.
    static let archiveKinds: [DiskFault] =
        ([.write, .open, .flush, .flushData, .link, .rename, .makeFolder] as [DiskCall.Kind]).flatMap { kind in
            [ENOSPC, EIO, EDQUOT].map { DiskFault(kind: kind, error: $0) }
        } + [
            DiskFault(kind: .write, count: 0, error: ENOSPC),
            DiskFault(kind: .write, effect: .writesShort, error: 0),
            DiskFault(kind: .write, effect: .writesShort, count: 0, error: 0),
            DiskFault(kind: .write, count: 3, error: EINTR),
            DiskFault(kind: .flush, count: 0, error: EIO),
            DiskFault(kind: .close, effect: .failsAfter, error: EIO),
            DiskFault(kind: .link, error: EPERM),
            DiskFault(kind: .remove, error: EIO),
        ]

    /// Whether cleaning up is what fails.
    var strikesRemoval: Bool { kind == .remove || kind == .removeFolder }
}

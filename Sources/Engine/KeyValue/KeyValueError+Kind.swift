#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension KeyValueError {
    /// The error's class.
    public var kind: ErrorKind {
        switch self {
        case .busy, .tooManyReaders, .storeGrew, .staleLock:
            .transient
        case .storeNotFound, .notAStore, .readOnly, .nestedWrite, .closed, .transactionEnded, .forked, .tooLarge,
            .tableMissing:
            .recoverable
        case .damaged, .needsRepair, .permissionDenied, .storageFull, .system, .commitUnknown, .commitFailed,
            .writingStopped:
            .permanent
        }
    }

    /// A short name that stays the same in every version.
    public var code: String {
        switch self {
        case .storeNotFound: "store-not-found"
        case .notAStore: "not-a-store"
        case .damaged: "damaged"
        case .permissionDenied: "permission-denied"
        case .diskFull: "disk-full"
        case .storageFull: "store-full"
        case .system: "system"
        case .busy: "busy"
        case .commitUnknown: "commit-unknown"
        case .commitFailed: "commit-failed"
        case .writingStopped: "writing-stopped"
        case .readOnly: "read-only"
        case .nestedWrite: "nested-write"
        case .closed: "closed"
        case .transactionEnded: "transaction-ended"
        case .forked: "forked"
        case .tooManyReaders: "too-many-readers"
        case .storeGrew: "store-grew"
        case .staleLock: "stale-lock"
        case .needsRepair: "needs-repair"
        case .tooLarge: "too-large"
        case .tableMissing: "table-missing"
        }
    }

    /// Whether the same write may succeed in a moment, with nothing changed by the caller: after a transient error, and
    /// on a full disk, where space may come free.
    public var isWorthRetrying: Bool {
        kind == .transient || self == .diskFull
    }

    /// The error for a code of the system that has no case of its own.
    package static func refused(_ operation: String, code: Int32) -> KeyValueError {
        isPassing(code) ? .busy(operation: operation, code: code) : .system(operation: operation, code: code)
    }

    /// Whether a code of the system speaks of a shortage that passes: an interruption, or no memory or descriptors left.
    static func isPassing(_ code: Int32) -> Bool {
        [EINTR, EAGAIN, ENOMEM, ENOBUFS, EMFILE, ENFILE, EBUSY, ETIMEDOUT].contains(code)
    }
}

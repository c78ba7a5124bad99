import CLMDB
import SystemErrors

/// The errors between Daybook and the disk.
///
/// No case carries bytes of a record: paths and operating-system codes are all that an error shows (decision D10).
public enum KeyValueError: Error, Equatable, Sendable {
    /// There is no store in the folder and none was to be created.
    case storeNotFound(path: String)
    /// The folder holds files, but not a store. It was left untouched.
    case notAStore(path: String)
    /// The store's folder was moved, or another one took its place, while its data file was being rewritten. Nothing was
    /// changed.
    case storeMoved(path: String)
    /// The store's file is not what LMDB wrote: truncated, overwritten or torn.
    case damaged(path: String, detail: String)
    /// This user may not read or write the store.
    case permissionDenied(path: String)
    /// The file system that the store is on is mounted for reading only.
    case readOnlyFileSystem(path: String)
    /// The disk, or the store up to its ceiling, is full. Nothing of the failed writes was applied.
    case storageFull(detail: String)
    /// The operating system refused an operation.
    case system(operation: String, code: Int32)
    /// The system could not do something just now. Nothing was written, and the same may succeed in a moment.
    case busy(operation: String, code: Int32)
    /// A commit failed in a way that leaves open whether it is on the disk; writing has stopped until a reopen.
    case commitUnknown(code: Int32)
    /// A commit failed and is not on the disk; writing has stopped until a reopen.
    case commitFailed(code: Int32)
    /// An earlier commit failed, so nothing is written until the store is reopened.
    case writingStopped
    /// A write was asked of a store that was opened for reading only.
    case readOnly
    /// A write was begun inside another transaction of the same thread.
    case nestedWrite
    /// The store was closed.
    case closed
    /// A transaction or cursor was used after it had ended, or changed while bytes of it were lent out, or a cursor was
    /// asked for an entry although it is not on one.
    case transactionEnded
    /// The process was forked; a store must be opened by the process that uses it.
    case forked
    /// All reader slots are taken by live readers.
    case tooManyReaders
    /// The store grew in another process while this thread was inside a read; the read can be tried again.
    case storeGrew
    /// The store was compacted in another process, or another thread, while this thread was inside a read; the read can
    /// be tried again.
    case storeCompacted
    /// The store was changed so fast that the pages of a state were reused while it was read without LMDB's lock file, which this
    /// process cannot use. Nothing of that state was returned; the read can be tried again.
    case snapshotLost(path: String)
    /// LMDB's lock file disagrees with the data file, since another program died opening the store, and programs that have
    /// it open keep it so. Nothing was written.
    case staleLock(path: String)
    /// The store was left by a program that died, and has to be opened for writing once.
    case needsRepair(path: String)
    /// The wait for another process, or another thread, took as long as it may (``LockWait``). Nothing was written.
    case lockHeld(path: String, by: LockHolder)
    /// A process of another PID namespace (container) has the store open, so that this one cannot open it. Nothing was touched.
    case otherNamespace(path: String)
    /// A key or a value is larger than the engine can hold.
    case tooLarge(byteCount: Int)
    /// A table that the caller named does not exist in a store that was opened for reading only.
    case tableMissing(name: String)
}

extension KeyValueError {
    /// The map is full: with more room the same writes would succeed.
    static let mapFull = KeyValueError.storageFull(detail: "the store's ceiling; see sizeCeiling, mapSizeCeiling")
    static let diskFull = KeyValueError.storageFull(detail: "the disk")

    static func ~= (pattern: KeyValueError, value: KeyValueError) -> Bool { pattern == value }
}

extension KeyValueError: CustomStringConvertible {
    /// One line: what happened, to what, and what to do next.
    public var description: String {
        switch self {
        case .storeNotFound(let path):
            "There is no store at \(path). Write something to create one, or name another folder."
        case .notAStore(let path):
            "\(path) is not a Daybook store. Name an empty or new folder, or the folder of a store."
        case .storeMoved(let path):
            "The store's folder \(path) was moved meanwhile, so nothing was changed. Try again where it is now."
        case .damaged(let path, let detail):
            "The store at \(path) is damaged (\(detail)). Verify a copy of it, or restore a backup."
        case .permissionDenied(let path):
            "No permission for \(path). Check who owns the folder and its mode."
        case .readOnlyFileSystem(let path):
            "\(path) is on a read-only file system. Mount it for writing, or use another folder."
        case .storageFull(let detail):
            "Unable to save: storage is full (\(detail)). Free some space and try again; nothing was changed."
        case .system(let operation, let code):
            "Unable to \(operation): \(Self.condition(code)). "
                + (SystemCondition(code).advice ?? "Check the disk and try again.")
        case .busy(let operation, let code):
            "Unable to \(operation) at the moment: \(Self.condition(code)). Nothing was written. "
                + (SystemCondition(code).advice ?? "Try again in a moment.")
        case .commitUnknown(let code):
            "A commit failed and may or may not be on the disk: \(Self.condition(code)). Reopen the store and check."
        case .commitFailed(let code):
            "A commit failed and was not saved: \(Self.condition(code)). Check the disk, then reopen the store."
        case .writingStopped:
            "An earlier commit failed, so writing has stopped. Check the disk, then reopen the store."
        case .readOnly:
            "The store was opened for reading only. Open it for writing to change it."
        case .nestedWrite:
            "A write was begun inside another transaction. Do both in one."
        case .closed:
            "The store was closed. Open it again."
        case .transactionEnded:
            "A transaction was used after its end or while its bytes were lent. Use it only inside its closure."
        case .forked:
            "The store was opened before this process was forked. Open it again in the child."
        case .tooManyReaders:
            "All reader slots are in use. End some readers and try again."
        case .storeGrew:
            "The store grew in another process during this read. Try again."
        case .storeCompacted:
            "The store was compacted during this read. Try again."
        case .snapshotLost(let path):
            "The store at \(path) changes faster than it can be read without its lock file. "
                + "Try again, or let this user write to lock.mdb."
        case .staleLock(let path):
            "The lock file of the store at \(path) is out of date, because another program died opening the store. "
                + "Close every program that has it open, then try again; nothing was written."
        case .needsRepair(let path):
            "The store at \(path) was left by a program that was killed. Open it for writing once."
        case .lockHeld(let path, let holder):
            Self.description(of: holder, at: path)
        case .otherNamespace(let path):
            "Another container (PID namespace) has the store at \(path) open. Use it from one container at a time, or let them "
                + "share the PID namespace."
        case .tooLarge(let byteCount):
            "A value of \(byteCount) bytes is too large to store. Split it up."
        case .tableMissing(let name):
            "The table \(name) is not in this store yet. Open the store for writing once."
        }
    }

    /// What a code means: one of the system's, or one of LMDB's, which are negative.
    private static func condition(_ code: Int32) -> String {
        guard code < 0 else { return "\(SystemCondition(code))" }
        let name = unsafe String(cString: mdb_strerror(code)).prefix { $0 != ":" }
        return name.hasPrefix("MDB_") ? "LMDB refuses (\(name))" : "LMDB refuses (error \(code))"
    }
}

extension KeyValueError {
    private static func description(of holder: LockHolder, at path: String) -> String {
        let process = holder.processDescription
        let subject = process.prefix(1).uppercased() + process.dropFirst()
        if holder.isStopped, let number = holder.process {
            return "\(subject) was stopped while \(holder.activity.participle) the store at \(path). "
                + "Nothing was written. Continue it (kill -CONT \(number)) or end it, then try again."
        }
        return "\(subject) is \(holder.activity.participle) the store at \(path). "
            + "Nothing was written. Try again when it is done, or wait longer."
    }
}

extension KeyValueError {
    /// The error's class.
    public var kind: ErrorKind {
        switch self {
        case .busy, .tooManyReaders, .storeGrew, .storeCompacted, .snapshotLost, .staleLock, .lockHeld, .otherNamespace:
            .transient
        case .storeNotFound, .notAStore, .storeMoved, .readOnly, .nestedWrite, .closed, .transactionEnded, .forked,
            .tooLarge,
            .tableMissing:
            .recoverable
        case .damaged, .needsRepair, .permissionDenied, .readOnlyFileSystem, .storageFull, .system, .commitUnknown,
            .commitFailed,
            .writingStopped:
            .permanent
        }
    }

    /// A short name that stays the same in every version.
    public var code: String {
        switch self {
        case .storeNotFound: "store-not-found"
        case .notAStore: "not-a-store"
        case .storeMoved: "store-moved"
        case .damaged: "damaged"
        case .permissionDenied: "permission-denied"
        case .readOnlyFileSystem: "read-only-file-system"
        case .diskFull: "disk-full"
        case .storageFull: "store-full"
        case .system: "system"
        case .busy, .lockHeld: "busy"
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
        case .storeCompacted: "store-compacted"
        case .snapshotLost: "snapshot-lost"
        case .staleLock: "stale-lock"
        case .needsRepair: "needs-repair"
        case .otherNamespace: "other-namespace"
        case .tooLarge: "too-large"
        case .tableMissing: "table-missing"
        }
    }

    /// Whether the same write may succeed in a moment, with nothing changed by the caller: after a transient error, and
    /// on a full disk, where space may come free. Not after an error that will last as long as another program runs.
    public var isWorthRetrying: Bool {
        switch self {
        case .lockHeld, .otherNamespace: false
        default: kind == .transient || self == .diskFull
        }
    }

    /// The system's code; EIO for an error without one.
    var systemCode: Int32 {
        switch self {
        case .system(_, let code), .busy(_, let code), .commitUnknown(let code), .commitFailed(let code): code
        case .diskFull: SystemCondition.noSpace.code
        default: SystemCondition.inputOutput.code
        }
    }

    /// Whether nothing can be written any more until the store is reopened.
    var stopsWriting: Bool {
        switch self {
        case .commitFailed, .commitUnknown, .writingStopped: true
        default: false
        }
    }

    /// The error for a call that failed on a file or folder.
    static func refused(_ operation: String, on path: String, code: Int32) -> KeyValueError {
        switch SystemCondition(code) {
        case .permissionDenied, .notPermitted: .permissionDenied(path: path)
        case .readOnlyFileSystem: .readOnlyFileSystem(path: path)
        case let condition where condition.isStorageFull: .diskFull
        default: .refused(operation, code: code)
        }
    }

    /// The error for a system code that has no separate case.
    package static func refused(_ operation: String, code: Int32) -> KeyValueError {
        SystemCondition(code).isTransient
            ? .busy(operation: operation, code: code) : .system(operation: operation, code: code)
    }
}

/// What an application can do about an error (requirement S-40).
public enum ErrorKind: String, Sendable {
    /// A retry after a moment may succeed.
    case transient
    /// The caller can change its request.
    case recoverable
    /// Something must be repaired first: space, permission, damage.
    case permanent
}

import Foundation
import KeyValue
import Testing

struct ErrorTests {
    /// Every case; `number` below does not compile while one is missing there.
    static let table: [(error: KeyValueError, code: String, kind: ErrorKind)] = [
        (.storeNotFound(path: "/p"), "store-not-found", .recoverable),
        (.notAStore(path: "/p"), "not-a-store", .recoverable),
        (.storeMoved(path: "/p"), "store-moved", .recoverable),
        (.damaged(path: "/p", detail: "d"), "damaged", .permanent),
        (.permissionDenied(path: "/p"), "permission-denied", .permanent),
        (.readOnlyFileSystem(path: "/p"), "read-only-file-system", .permanent),
        (.storageFull(detail: "the disk"), "disk-full", .permanent),
        (.storageFull(detail: "the store's ceiling"), "store-full", .permanent),
        (.system(operation: "o", code: EIO), "system", .permanent),
        (.busy(operation: "commit", code: EAGAIN), "busy", .transient),
        (.commitUnknown(code: EIO), "commit-unknown", .permanent),
        (.commitFailed(code: EIO), "commit-failed", .permanent),
        (.writingStopped, "writing-stopped", .permanent),
        (.readOnly, "read-only", .recoverable),
        (.nestedWrite, "nested-write", .recoverable),
        (.closed, "closed", .recoverable),
        (.transactionEnded, "transaction-ended", .recoverable),
        (.forked, "forked", .recoverable),
        (.tooManyReaders, "too-many-readers", .transient),
        (.storeGrew, "store-grew", .transient),
        (.storeCompacted, "store-compacted", .transient),
        (.tooLarge(byteCount: 1), "too-large", .recoverable),
        (.tableMissing(name: "t"), "table-missing", .recoverable),
        (.snapshotLost(path: "p"), "snapshot-lost", .transient),
        (.staleLock(path: "p"), "stale-lock", .transient),
        (.needsRepair(path: "p"), "needs-repair", .permanent),
        (.otherNamespace(path: "p"), "other-namespace", .transient),
        (.lockHeld(path: "p", by: LockHolder(.writing)), "busy", .transient),
    ]

    private func number(_ error: KeyValueError) -> Int {
        switch error {
        case .storeNotFound: 0
        case .notAStore: 1
        case .damaged: 2
        case .permissionDenied: 3
        case .storageFull: 4
        case .system: 5
        case .busy: 6
        case .commitUnknown: 7
        case .commitFailed: 8
        case .writingStopped: 9
        case .readOnly: 10
        case .nestedWrite: 11
        case .closed: 12
        case .transactionEnded: 13
        case .forked: 14
        case .tooManyReaders: 15
        case .storeGrew: 16
        case .tooLarge: 17
        case .tableMissing: 18
        case .staleLock: 19
        case .needsRepair: 20
        case .storeCompacted: 21
        case .otherNamespace: 22
        case .lockHeld: 23
        case .snapshotLost: 24
        case .readOnlyFileSystem: 25
        case .storeMoved: 26
        }
    }

    @Test("Every error has a unique code, a kind, and one line that says what to do [S-40]")
    func table() {
        #expect(Set(Self.table.map { number($0.error) }) == Set(0...26))
        // Both kinds of busy have one code.
        #expect(Set(Self.table.map(\.error.code)).count == Self.table.count - 1)
        #expect(Set(Self.table.map(\.error.description)).count == Self.table.count)
        for (error, code, kind) in Self.table {
            #expect(error.code == code)
            #expect(error.kind == kind, "\(code)")
            #expect(error.description.hasSuffix(".") && !error.description.contains("\n"), "\(code)")
        }
    }

    @Test("No message is the system's text [S-40]")
    func noSystemText() {
        for system in 1...133 as ClosedRange<Int32> {
            let text = String(cString: strerror(system))
            let errors: [KeyValueError] = [
                .system(operation: "o", code: system), .busy(operation: "o", code: system),
                .commitFailed(code: system), .commitUnknown(code: system),
            ]
            for error in errors { #expect(!error.description.contains(text), "\(text)") }
        }
    }

    @Test("Every message with a code names its condition, and shows no number [S-40]")
    func conditions() {
        let known = (1...133).filter { $0 != 41 && $0 != 58 }
        for code in known.map(Int32.init) + [-30_783] {
            let name = code < 0 ? "MDB_BAD_RSLOT" : Self.names[code]
            let errors: [KeyValueError] = [
                .system(operation: "o", code: code), .busy(operation: "o", code: code),
                .commitFailed(code: code), .commitUnknown(code: code),
            ]
            for error in errors {
                if let name { #expect(error.description.contains(name), "\(error)") }
                #expect(!error.description.contains("error \(code)"), "\(error)")
                #expect(!error.description.contains("\(code)"), "\(error)")
            }
        }
        let unknown = KeyValueError.system(operation: "o", code: 4000)
        #expect(unknown.description == "Unable to o: error 4000. Check the disk and try again.")
    }

    /// Some of the names, to check the table of all of them.
    private static let names: [Int32: String] = [
        ENOSPC: "ENOSPC", ENAMETOOLONG: "ENAMETOOLONG", EROFS: "EROFS", ENOMEM: "ENOMEM", EIO: "EIO", EXDEV: "EXDEV",
        EBUSY: "EBUSY", EMFILE: "EMFILE", ELOOP: "ELOOP", EAGAIN: "EAGAIN", EOVERFLOW: "EOVERFLOW", EUCLEAN: "EUCLEAN",
    ]

    @Test("Where the next step differs, the message has it [S-47]")
    func advice() {
        let words: [(KeyValueError, String)] = [
            (.system(operation: "o", code: ENAMETOOLONG), "Use a shorter path."),
            (.busy(operation: "o", code: ENOMEM), "ulimit -v"), (.busy(operation: "o", code: EMFILE), "ulimit -n"),
            (.busy(operation: "o", code: EAGAIN), "Try again in a moment."),
            (.readOnlyFileSystem(path: "/p"), "Mount it for writing"), (.storeMoved(path: "/p"), "where it is now"),
        ]
        for (error, text) in words { #expect(error.description.contains(text), "\(error)") }
    }

    @Test("Permanent errors say how to repair them [S-47]")
    func guidance() {
        let words: [(KeyValueError, String)] = [
            (.storageFull(detail: "the disk"), "Free some space"), (.damaged(path: "/p", detail: "d"), "Verify a copy"),
            (.permissionDenied(path: "/p"), "Check who owns"), (.commitFailed(code: EIO), "reopen the store"),
            (.writingStopped, "reopen the store"), (.busy(operation: "o", code: EAGAIN), "Nothing was written."),
        ]
        for (error, text) in words { #expect(error.description.contains(text)) }
    }

    @Test("A full disk is worth a retry, a full store is not [X-13]")
    func retries() {
        let retried = Self.table.filter(\.error.isWorthRetrying).map(\.code)
        #expect(!KeyValueError.lockHeld(path: "p", by: LockHolder(.writing)).isWorthRetrying)
        #expect(
            Set(retried) == [
                "disk-full", "busy", "too-many-readers", "store-grew", "store-compacted", "snapshot-lost", "stale-lock",
            ])
    }
}

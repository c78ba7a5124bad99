import ByteStreams
import Records

/// What a person was doing when something failed.
public enum Attempt: String, Sendable, CaseIterable, Hashable {
    /// Showing what the store has.
    case load
    /// Creating or changing something.
    case save
    /// Deleting something.
    case delete
    /// Taking a change back.
    case undo
    /// Writing a file for other programs, or a backup.
    case export
    /// Reading such a file.
    case importing = "import"
    /// Exchanging changes with other devices.
    case sync
}

/// What a person can do about a failure.
public enum Remedy: String, Sendable, CaseIterable, Hashable {
    /// Try the same again.
    case retry
    /// Change what was entered or chosen.
    case change
    /// Make room on the device.
    case freeSpace
    /// Bring back a backup.
    case restore
    /// Install a newer version of the application.
    case update
    /// Allow the application to use its folder.
    case allowAccess
    /// Show who is asking.
    case unlock
    /// Start the application again.
    case restart
    /// Nothing has to be done.
    case none
}

extension FileError: DaybookError {}

/// A failure as an application shows it: a value that a model keeps until the person has dealt with it. It carries nothing that a
/// person wrote, and no text of the system.
///
/// ``DaybookTexts/text(for:)`` says what happened, and `DaybookTexts.name(of:)` names what can be done.
public struct StoreFailure: Error, Sendable, Hashable {
    /// What was tried.
    public let attempt: Attempt
    /// Why it failed.
    public let reason: FailureReason
    /// The error's code, which is the same in every version.
    public let code: String

    /// Classifies an error of any part of Daybook.
    public init(_ error: any Error, during attempt: Attempt) {
        self.attempt = attempt
        code =
            switch error {
            case let error as StoreFailure: error.code
            case let error as any DaybookError: error.code
            case is CancellationError: "cancelled"
            default: "unexpected"
            }
        reason = FailureReason(code: code)
    }

    /// What a person can do about it.
    public var remedy: Remedy { reason.remedy }
}

/// Why something failed, as far as a person can do something about it.
public enum FailureReason: String, Sendable, CaseIterable, Hashable {
    /// The device, or the room that the application gave the store, is full.
    case full
    /// Another program is using the store, or the system is short of something for a moment.
    case busy
    /// Bytes are not what was written.
    case damaged
    /// What is there was written by a newer version.
    case newer
    /// The application may not use the folder or the file.
    case notPermitted
    /// The store or the disk can only be read.
    case readOnly
    /// The store or the file is not there, or not any more.
    case missing
    /// What was asked for is not among the records any more.
    case gone
    /// The journal is locked.
    case locked
    /// Nothing was written in a text that is needed.
    case empty
    /// A text has characters that cannot be stored, or is too long.
    case unusable
    /// There is one of this name or id already.
    case duplicate
    /// A day in the past was chosen.
    case pastDay
    /// The bucket of the day's plan has no room.
    case bucketFull
    /// Something would be part of itself, or wait for itself.
    case circular
    /// What was chosen does not go together.
    case unfitting
    /// It is not known which one is meant.
    case ambiguous
    /// There is nothing to undo, or the time for it is over.
    case undoOver
    /// It was changed again, so it cannot be undone by itself.
    case changedSince
    /// A file is in no format that can be read, or breaks its rules.
    case unreadableFile
    /// A passphrase is missing or wrong.
    case passphrase
    /// It was cancelled.
    case cancelled
    /// The store has to be opened anew.
    case stopped
    /// Anything else.
    case unexpected

    /// What a person can do about it.
    public var remedy: Remedy {
        switch self {
        case .full: .freeSpace
        case .busy: .retry
        case .damaged: .restore
        case .newer: .update
        case .notPermitted, .readOnly: .allowAccess
        case .locked: .unlock
        case .stopped, .missing: .restart
        case .cancelled, .undoOver, .gone: .none
        case .changedSince, .empty, .unusable, .duplicate, .pastDay, .bucketFull, .circular, .unfitting, .ambiguous,
            .unreadableFile, .passphrase:
            .change
        case .unexpected: .retry
        }
    }

    /// Classifies the codes of every error of Daybook; those that say nothing to a person are unexpected.
    init(code: String) {
        self =
            switch code {
            case "disk-full", "store-full": .full
            case "busy", "too-many-readers", "other-namespace", "commit-unknown", "commit-failed", "store-is-open",
                "out-of-memory", "compression-failed":
                .busy
            case "damaged", "needs-repair", "damaged-record", "damaged-entry", "unreadable-field", "refused-record",
                "damaged-snapshot", "broken-chain":
                .damaged
            case "newer-format", "newer-version", "newer-snapshot", "unknown-value": .newer
            case "permission-denied", "lock-unavailable": .notPermitted
            case "read-only", "read-only-file-system": .readOnly
            case "store-not-found", "not-a-store", "store-moved", "manifest-missing", "snapshot-not-found", "not-found",
                "base-missing":
                .missing
            case "no-such-task", "no-such-list", "no-such-thread", "no-such-entry", "no-such-field": .gone
            case "locked": .locked
            case "empty-text", "empty-name", "empty-title", "empty-content": .empty
            case "unusable-text", "bad-color", "bad-link", "not-an-id", "bad-field-name", "too-large": .unusable
            case "duplicate-id", "duplicate-list", "duplicate-field", "duplicate-record", "duplicate-key", "not-empty",
                "target-exists":
                .duplicate
            case "past-day": .pastDay
            case "bucket-full": .bucketFull
            case "dependency-cycle", "subtask-cycle", "group-cycle": .circular
            case "not-in-same-day", "not-in-same-bucket", "not-in-same-parent", "not-in-same-list", "no-such-index",
                "subtask-depth", "not-recurring", "never-occurs", "not-a-group", "group-with-value", "foreign-field",
                "missing-target", "still-referenced", "no-such-place", "foreign-page-token", "chain-too-long",
                "not-a-base", "not-restorable", "needed-by-another", "record-too-large", "store-not-empty":
                .unfitting
            case "ambiguous-id", "ambiguous-list", "ambiguous-thread", "ambiguous-entry": .ambiguous
            case "undo-expired", "nothing-to-undo", "nothing-to-redo": .undoOver
            case "changed-since": .changedSince
            case "unknown-format", "unsupported-format", "malformed", "not-as-named", "invalid-record",
                "not-a-snapshot", "damaged-compression", "excessive-expansion", "invalid-dump", "not-a-file":
                .unreadableFile
            case "passphrase-needed", "not-decryptable": .passphrase
            case "cancelled": .cancelled
            case "closed", "writing-stopped", "forked", "stale-lock", "store-grew", "store-compacted", "snapshot-lost":
                .stopped
            default: .unexpected
            }
    }
}

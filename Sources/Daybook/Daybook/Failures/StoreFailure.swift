import ByteStreams
import Journals
import KeyValue
import Records
import Tasks

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
        switch error {
        case let error as StoreFailure: (reason, code) = (error.reason, error.code)
        case let error as TaskError: (reason, code) = (FailureReason(error), error.code)
        case let error as JournalError: (reason, code) = (FailureReason(error), error.code)
        case let error as RecordsError: (reason, code) = (FailureReason(error), error.code)
        case let error as FileError: (reason, code) = (FailureReason(error), error.code)
        case is CancellationError: (reason, code) = (.cancelled, "cancelled")
        default: (reason, code) = (.unexpected, "unexpected")
        }
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

    init(_ error: TaskError) {
        self =
            switch error {
            case .store(let error): FailureReason(error)
            case .noSuchTask, .noSuchList: .gone
            case .ambiguous, .ambiguousList: .ambiguous
            case .emptyText, .emptyName: .empty
            case .unusableText, .badColor, .badLink, .notAnID: .unusable
            case .duplicate, .duplicateList: .duplicate
            case .pastDay: .pastDay
            case .bucketFull: .bucketFull
            case .dependencyCycle, .subtaskCycle: .circular
            case .notInSameDay, .notInSameBucket, .notInSameParent, .notInSameList, .noSuchIndex, .subtaskDepth,
                .notRecurring, .neverOccurs:
                .unfitting
            case .undoExpired, .nothingToUndo, .nothingToRedo: .undoOver
            case .changedSince: .changedSince
            case .cancelled: .cancelled
            case .unknownValue: .newer
            case .unexpected: .unexpected
            }
    }

    init(_ error: JournalError) {
        self =
            switch error {
            case .store(let error): FailureReason(error)
            case .noSuchThread, .noSuchEntry, .noSuchField: .gone
            case .ambiguousThread, .ambiguousEntry: .ambiguous
            case .emptyTitle, .emptyContent: .empty
            case .notAnID, .badFieldName, .unusableText: .unusable
            case .duplicateField, .duplicateID: .duplicate
            case .notAGroup, .groupWithValue, .foreignField: .unfitting
            case .groupCycle: .circular
            case .locked: .locked
            case .lockUnavailable: .notPermitted
            case .undoExpired, .nothingToUndo: .undoOver
            case .changedSince: .changedSince
            case .cancelled: .cancelled
            case .unexpected: .unexpected
            }
    }

    init(_ error: RecordsError) {
        self =
            switch error {
            case .engine(let error): FailureReason(error)
            case .notAStore, .manifestMissing: .missing
            case .newerFormat: .newer
            case .damagedRecord, .damagedEntry, .unreadableField, .refusedRecord: .damaged
            case .duplicate, .duplicateKey, .notEmpty: .duplicate
            case .missingTarget, .stillReferenced, .noSuchPlace, .foreignPageToken: .unfitting
            case .nothingToUndo, .nothingToRedo: .undoOver
            case .changedSince: .changedSince
            case .unknownCollection, .unknownConsumer, .changesTrimmed, .changesPurged, .changeNotReached,
                .transactionEnded, .badDeclaration, .unexpected:
                .unexpected
            }
    }

    init(_ error: KeyValueError) {
        self =
            switch error.code {
            case "disk-full", "store-full": .full
            case "busy", "too-many-readers", "other-namespace", "commit-unknown", "commit-failed": .busy
            case "damaged", "needs-repair": .damaged
            case "permission-denied": .notPermitted
            case "read-only", "read-only-file-system": .readOnly
            case "store-not-found", "not-a-store", "store-moved": .missing
            case "too-large": .unusable
            case "closed", "writing-stopped", "forked", "stale-lock", "store-grew", "store-compacted", "snapshot-lost":
                .stopped
            default: .unexpected
            }
    }

    init(_ error: FileError) {
        self =
            switch error {
            case .unknownFormat, .unsupportedFormat, .malformed, .notAsNamed, .invalidRecord, .notASnapshot,
                .damagedCompression, .excessiveExpansion, .invalidDump, .notAFile:
                .unreadableFile
            case .newerVersion, .newerSnapshot: .newer
            case .snapshotNotFound, .notFound, .baseMissing, .notAStore: .missing
            case .damagedSnapshot, .brokenChain: .damaged
            case .chainTooLong, .notABase, .notRestorable, .neededByAnother, .recordTooLarge, .storeNotEmpty: .unfitting
            case .busy, .storeIsOpen, .outOfMemory, .compressionFailed: .busy
            case .targetExists: .duplicate
            case .permissionDenied: .notPermitted
            case .readOnlyFileSystem: .readOnly
            case .diskFull: .full
            case .passphraseNeeded, .notDecryptable: .passphrase
            case .encryptionFailed, .system: .unexpected
            }
    }
}

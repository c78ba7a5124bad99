import CivilTime
import Journals
import Tasks

/// All texts that an application shows to people: those of tasks, of journals, and of failures. Every function has an English default:
/// conform a type of your own and implement those that you translate. ``TurkishTexts`` translates all of them.
public protocol DaybookTexts: TaskTexts, JournalTexts {
    /// One or two sentences: what could not be done, and why.
    func text(for failure: StoreFailure) -> String

    /// The name of what a person can do, for a button; nil where nothing has to be done.
    func name(of remedy: Remedy) -> String?
}

/// The English texts.
public struct EnglishTexts: DaybookTexts {
    /// Creates the texts.
    public init() {}
}

extension DaybookTexts {
    /// Returns a text such as "Could not save. The device is full: free up some space and try again."
    public func text(for failure: StoreFailure) -> String {
        let what =
            switch failure.attempt {
            case .load: "Could not load."
            case .save: "Could not save."
            case .delete: "Could not delete."
            case .undo: "Could not undo."
            case .export: "Could not export."
            case .importing: "Could not import."
            case .sync: "Could not sync."
            }
        return "\(what) \(Self.english(failure.reason))"
    }

    private static func english(_ reason: FailureReason) -> String {
        switch reason {
        case .full: "The device is full: free up some space and try again."
        case .busy: "The store is in use elsewhere. Please try again."
        case .damaged: "Some of the data is damaged. Restore a backup."
        case .newer: "A newer version of the app wrote this. Update the app."
        case .notPermitted: "The app may not use this folder or file. Allow it, and try again."
        case .readOnly: "The data can only be read here. Choose a place that can be written to."
        case .missing: "The data is not there any more. Close the app and open it again."
        case .gone: "It was deleted in the meantime."
        case .locked: "The journal is locked. Unlock it first."
        case .empty: "There is no text. Write something first."
        case .unusable: "This text cannot be used. Change it and try again."
        case .duplicate: "There is one of this name already. Choose another name."
        case .pastDay: "This day is in the past. Choose today or a later day."
        case .bucketFull: "There is no room left there. Complete something first, or choose another place."
        case .circular: "It would be part of itself, or wait for itself. Choose another one."
        case .unfitting: "This does not fit here. Choose something else."
        case .ambiguous: "Several fit. Choose one of them."
        case .undoOver: "The time to undo this is over."
        case .changedSince: "It was changed again since. Change it by hand."
        case .unreadableFile: "The file cannot be read. Choose another file."
        case .passphrase: "The passphrase is missing or wrong. Enter it again."
        case .cancelled: "It was cancelled."
        case .stopped: "The store has to be opened again. Close the app and open it again."
        case .unexpected: "Something went wrong. Please try again."
        }
    }

    /// Returns a name such as "Try again".
    public func name(of remedy: Remedy) -> String? {
        switch remedy {
        case .retry: "Try Again"
        case .change: "Change"
        case .freeSpace: "Free Up Space"
        case .restore: "Restore Backup"
        case .update: "Update"
        case .allowAccess: "Allow Access"
        case .unlock: "Unlock"
        case .restart: "Restart"
        case .none: nil
        }
    }
}

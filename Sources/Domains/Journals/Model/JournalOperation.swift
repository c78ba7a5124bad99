import Records

/// The kind of a change of journals, as the change log names it. The names are stored and keep their meaning.
public enum JournalOperation: String, DomainOperation, CaseIterable {
    /// Several operations in one transaction.
    case several = "journals.several"
    /// A thread was created, with a first entry or without one.
    case createThread = "journals.createThread"
    /// A thread has another title.
    case renameThread = "journals.renameThread"
    /// A thread was deleted; it can be restored.
    case deleteThread = "journals.deleteThread"
    /// A deleted thread was restored.
    case restoreThread = "journals.restoreThread"
    /// A thread was removed with everything in it.
    case purgeThread = "journals.purgeThread"
    /// An entry was added.
    case addEntry = "journals.addEntry"
    /// The content or the values of an entry changed.
    case editEntry = "journals.editEntry"
    /// Entries were deleted.
    case deleteEntries = "journals.deleteEntries"
    /// An entry got the place at which it was written.
    case placeEntry = "journals.placeEntry"
    /// Custom fields of a thread were added, changed or deleted.
    case editFields = "journals.editFields"
    /// A draft or a setting was saved: nothing of that is in the change log.
    case keep = "journals.keep"
    /// Entries were imported from a file.
    case importing = "journals.import"

    /// The declarations of all of them: the deletion of a thread can be taken back for 5 seconds, unless the settings say
    /// otherwise.
    static let declarations = allCases.map { operation in
        OperationDeclaration(operation.rawValue, undoWindow: operation == .deleteThread ? .seconds(5) : nil)
    }

    package var label: ChangeLabel {
        ChangeLabel(operation: rawValue, origin: self == .importing ? .importing : .user)
    }
}

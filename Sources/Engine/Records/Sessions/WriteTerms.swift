import CivilTime
import FoundationEssentials
import KeyValue
import Threading

/// What a write gets in each of its runs: the time at which it was asked for, and the same ids.
struct WriteTerms: Sendable {
    let context: Context
    let identifiers = TakenIdentifiers()

    init(of context: Context) {
        var context = context
        context.clock = SettableClock(context.clock.wall, monotonic: context.clock.monotonic)
        self.context = context
    }
}

/// The ids that a piece of work has taken, so that it takes the same when it runs again.
final class TakenIdentifiers: Sendable {
    private let taken = ForkSafeMutex<[UUID]>([])

    /// The id that was taken at a place, or a new one.
    func identifier(at position: Int, or next: () -> UUID) -> UUID {
        taken.withLock { taken in
            if position == taken.count { taken.append(next()) }
            return taken[position]
        }
    }
}

/// Thrown by what a transaction cannot do before it is the store's turn: undo, and changes of the history.
struct NotInDraft: Error {}

/// What a write would change.
struct RecordDraft: Sendable {
    var changes = RecordOverlay()
    /// Whether these are all changes of records that it makes.
    var isComplete = true
}

extension RecordStore {
    /// Runs a write on the present records and an overlay, without writing. Returns what it changes, and the number of the
    /// last change among the records.
    func draft(
        over overlay: RecordOverlay, _ terms: WriteTerms, _ body: (WriteTransaction) throws -> Void
    ) throws -> (draft: RecordDraft, base: UInt64) {
        do {
            let transaction = WriteTransaction(
                draftIn: self, over: overlay, terms, engine: try environment.beginRead())
            defer { transaction.end() }
            let base = try transaction.lastSequence()
            do {
                try body(transaction)
            } catch is NotInDraft {
                return (RecordDraft(isComplete: false), base)
            }
            return (transaction.draft ?? RecordDraft(), base)
        } catch let error as KeyValueError {
            throw RecordsError.engine(error)
        }
    }
}

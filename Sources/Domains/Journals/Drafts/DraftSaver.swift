import CivilTime
import FoundationEssentials
import Records
import Threading

/// Keeps what a person is writing in a thread: at most 5 seconds of it can be lost in a crash.
///
///     let saver = DraftSaver(store.journals, thread: thread.id)
///     let saving = Task { try await saver.run() }
///     saver.edit(text)                                // at each change of the text; nothing is written
///     try await saver.flush()                         // when the application becomes inactive, before it is locked
///     let entry = try await saver.send()              // the entry is there and the draft is gone, or neither
///
/// An entry that is written by a function of ``Journal`` instead of ``send(values:place:)`` ends the draft as well if it has this
/// text. One that a transaction of the store writes does not: tell the saver by `edit("")`.
public final class DraftSaver: Sendable {
    private struct State {
        var text: String
        /// What the store has; nil for no draft.
        var saved: String?
        /// How many entries were written in the thread. Each has cleared the draft if its transaction became durable.
        var entries = 0
        /// How many of them were taken into account in `saved`.
        var knownEntries = 0
        /// The entry that was written with the present text, if its transaction became durable.
        var sent: UUID?
    }

    private let journal: Journal
    private let thread: UUID
    private let state: ForkSafeMutex<State>

    /// How often the text is saved, in microseconds of the monotonic clock.
    static let interval: Int64 = 5_000_000

    /// Begins with the draft that the store has.
    public init(_ journal: Journal, thread: UUID) throws(JournalError) {
        self.journal = journal
        self.thread = thread
        let saved = try journal.draft(of: thread)?.content
        state = ForkSafeMutex(State(text: saved ?? "", saved: saved))
        journal.savers.add(self)
    }

    /// The text so far.
    public var text: String { state.withLock { $0.text } }

    /// Notes the text that a person has written so far.
    public func edit(_ text: String) {
        state.withLock { state in
            guard state.text != text else { return }
            state.text = text
            state.sent = nil
        }
    }

    /// Called in the transaction that writes an entry, which may fail later.
    fileprivate func note(_ entry: JournalEntry) {
        guard entry.threadID == thread else { return }
        state.withLock { state in
            state.entries += 1
            if state.text == entry.content { state.sent = entry.id }
        }
    }

    /// Saves the text now, also while the journal is locked. The text is kept if that fails.
    ///
    /// - Returns: Whether anything had to be saved.
    @discardableResult
    public func flush() async throws(JournalError) -> Bool {
        guard state.withLock({ $0.text != $0.saved ?? "" || $0.entries != $0.knownEntries }) else { return false }
        let flushed = try await journal.writeUnlocked(.keep) { try self.flush(in: $0) }.result
        state.withLock { state in
            state.saved = flushed.saved
            state.knownEntries = flushed.entries
            if let sent = flushed.sent, state.sent == sent { (state.text, state.sent) = ("", nil) }
        }
        return flushed.isChanged
    }

    private struct Flushed: Sendable {
        var saved: String?
        let entries: Int
        var sent: UUID?
        var isChanged = false
    }

    /// Writes what the state is at this point of the store's history, so that a transaction before this one that has made an entry of
    /// the text is not missed.
    private func flush(in transaction: JournalTransaction) throws -> Flushed {
        let state = state.withLock { $0 }
        var flushed = Flushed(saved: try transaction.reading.draft(of: thread)?.content, entries: state.entries)
        if let sent = state.sent, try transaction.transaction[JournalEntry.self].get(sent) != nil {
            flushed.sent = sent
        } else if flushed.saved ?? "" != state.text {
            flushed.saved = try transaction.saveDraft(state.text, for: thread)?.content
            flushed.isChanged = true
        }
        return flushed
    }

    /// Saves the text every 5 seconds if it has changed, until the task is cancelled. A save that fails is tried again after
    /// the next 5 seconds.
    ///
    /// - Throws: `CancellationError`; `JournalError.noSuchThread` when the thread was deleted.
    public func run() async throws {
        let clock = journal.store.context.clock
        while true {
            try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: Self.interval))
            do {
                try await flush()
            } catch JournalError.noSuchThread {
                throw JournalError.noSuchThread
            } catch {
                // The text is still here.
            }
        }
    }

    /// Writes the text as an entry, which clears the draft in the same transaction. The text is kept if that fails.
    public func send(values: [UUID: String] = [:], place: EntryPlace? = nil) async throws(JournalError) -> JournalEntry
    {
        let entry = try await journal.addEntry(NewEntry(text, values: values, place: place), to: thread)
        end(entry)
        return entry
    }

    /// Writes the text as an entry at once, and its place in a second transaction if the provider finds it, as
    /// ``Journal/addEntry(_:to:placeFrom:)``. The text is kept if the first one fails.
    public func send(
        values: [UUID: String] = [:], placeFrom provider: some PlaceProvider
    ) async throws(JournalError) -> (entry: JournalEntry, place: Task<PlaceOutcome, Never>) {
        let sent = try await journal.addEntry(NewEntry(text, values: values), to: thread, placeFrom: provider)
        end(sent.entry)
        return sent
    }

    /// Ends the text that became an entry; one that was written meanwhile is kept.
    private func end(_ entry: JournalEntry) {
        state.withLock { state in
            if state.sent == entry.id { (state.text, state.sent) = ("", nil) }
        }
    }
}

/// The savers that are in use, which learn of the entries that a journal writes.
final class DraftSavers: Sendable {
    private struct Use {
        weak var saver: DraftSaver?
    }

    private let uses = ForkSafeMutex<[Use]>([])

    func add(_ saver: DraftSaver) {
        uses.withLock { uses in
            uses.removeAll { $0.saver == nil }
            uses.append(Use(saver: saver))
        }
    }

    /// Called in the transaction that writes an entry.
    func note(_ entry: JournalEntry) {
        for saver in uses.withLock({ $0.compactMap(\.saver) }) { saver.note(entry) }
    }
}

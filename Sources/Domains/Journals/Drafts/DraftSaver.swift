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
public final class DraftSaver: Sendable {
    private struct State {
        var text: String
        /// What the store has; nil for no draft.
        var saved: String?
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
    }

    /// The text so far.
    public var text: String { state.withLock { $0.text } }

    /// Notes the text that a person has written so far.
    public func edit(_ text: String) {
        state.withLock { $0.text = text }
    }

    /// Saves the text now, also while the journal is locked. The text is kept if that fails.
    ///
    /// - Returns: Whether anything had to be saved.
    @discardableResult
    public func flush() async throws(JournalError) -> Bool {
        let (text, saved) = state.withLock { ($0.text, $0.saved) }
        guard text != saved ?? "" else { return false }
        let draft = try await journal.saveDraft(text, for: thread)
        state.withLock { $0.saved = draft?.content }
        return true
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
        let text = text
        let entry = try await journal.addEntry(NewEntry(text, values: values, place: place), to: thread)
        state.withLock { state in
            // A text that was written meanwhile is kept.
            if state.text == text { state.text = "" }
            state.saved = nil
        }
        return entry
    }
}

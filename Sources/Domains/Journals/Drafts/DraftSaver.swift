import CivilTime
import FoundationEssentials
import Records
import Threading

/// Keeps what a person is writing in a thread, with the texts for custom fields: at most 5 seconds of it can be lost in a crash.
///
///     let saver = DraftSaver(store.journals, thread: thread.id)
///     let saving = Task { try await saver.run() }
///     saver.edit(text)                                // at each change of the text; nothing is written
///     saver.edit("sunny", for: weather.id)            // and of the text for a custom field
///     try await saver.flush()                         // when the application becomes inactive, before it is locked
///     let entry = try await saver.send()              // the entry is there and the draft is gone, or neither
///
/// An entry that is written by a function of ``Journal`` instead of ``send(values:place:)`` ends the draft as well if it has this
/// text. One that a transaction of the store writes does not: call `edit("")` then.
public final class DraftSaver: Sendable {
    private struct State {
        var text: String
        /// The texts for custom fields, as they were typed.
        var values: [UUID: String]
        /// The text that the store has; nil for no draft.
        var saved: String?
        /// The values that the store has.
        var savedValues: [UUID: String]
        /// How many entries were written in the thread. Each has cleared the draft if its transaction became durable.
        var entries = 0
        /// How many of them were taken into account in `saved`.
        var knownEntries = 0
        /// The entry that was written with the present text, if its transaction became durable.
        var sent: UUID?

        /// Whether the store has something else, or may have.
        var isChanged: Bool {
            text != saved ?? "" || values != savedValues || entries != knownEntries
        }

        /// Ends what became an entry; what was typed meanwhile is kept.
        mutating func end(_ entry: UUID, _ written: [UUID: String]) {
            if sent == entry { (text, sent) = ("", nil) }
            values = values.filter { field, value in
                guard let written = written[field] else { return true }
                // A blank value is stored as none.
                return written != value && !(written + value).allSatisfy(\.isWhitespace)
            }
        }
    }

    private let journal: Journal
    private let thread: UUID
    private let state: ForkSafeMutex<State>

    /// How often the text is saved, in microseconds of the monotonic clock.
    public static let interval: Int64 = 5_000_000

    /// The clock by which the text is saved.
    package var clock: any TimeSource { journal.store.context.clock }

    /// Begins with the draft that the store has.
    public init(_ journal: Journal, thread: UUID) throws(JournalError) {
        self.journal = journal
        self.thread = thread
        let draft = try journal.draft(of: thread)
        let values = draft?.values ?? [:]
        state = ForkSafeMutex(
            State(text: draft?.content ?? "", values: values, saved: draft?.content, savedValues: values))
        journal.savers.add(self)
    }

    /// The text so far.
    public var text: String { state.withLock { $0.text } }

    /// The texts for custom fields so far, by the fields' ids.
    public var values: [UUID: String] { state.withLock { $0.values } }

    /// Notes the text that a person has written so far.
    public func edit(_ text: String) {
        state.withLock { state in
            guard state.text != text else { return }
            state.text = text
            state.sent = nil
        }
    }

    /// Notes the text that a person has written so far for a custom field; nil for a field that is not selected. It is saved with the
    /// draft, and becomes the entry's value.
    public func edit(_ value: String?, for field: UUID) {
        state.withLock { $0.values[field] = value }
    }

    /// Called in the transaction that writes an entry, which may fail later.
    fileprivate func note(_ entry: JournalEntry) {
        guard entry.threadID == thread else { return }
        state.withLock { state in
            state.entries += 1
            if state.text == entry.content { state.sent = entry.id }
        }
    }

    /// Saves the text and the values now, also while the journal is locked. They are kept if that fails.
    ///
    /// - Returns: Whether anything had to be saved.
    @discardableResult
    public func flush() async throws(JournalError) -> Bool {
        guard state.withLock({ $0.isChanged }) else { return false }
        let flushed = try await journal.writeUnlocked(.keep) { try self.flush(in: $0) }.result
        state.withLock { state in
            (state.saved, state.savedValues) = (flushed.saved, flushed.values)
            state.knownEntries = flushed.entries
            if let sent = flushed.sent { state.end(sent.entry, sent.values) }
        }
        return flushed.isChanged
    }

    private struct Flushed: Sendable {
        var saved: String?
        var values: [UUID: String]
        let entries: Int
        var sent: (entry: UUID, values: [UUID: String])?
        var isChanged = false
    }

    /// Writes what the state is at this point of the store's history, so that a transaction before this one that has made an entry of
    /// the text is not missed.
    private func flush(in transaction: JournalTransaction) throws -> Flushed {
        let state = state.withLock { $0 }
        let draft = try transaction.reading.draft(of: thread)
        var flushed = Flushed(saved: draft?.content, values: draft?.values ?? [:], entries: state.entries)
        if let sent = state.sent, try transaction.transaction[JournalEntry.self].get(sent) != nil {
            // The values that the entry has: those of others were typed after it was sent.
            let written = try transaction.transaction[EntryFieldValue.ofEntry].prefix(sent)
            flushed.sent = (sent, Dictionary(written.map { ($0.id.field, $0.value ?? "") }, uniquingKeysWith: { $1 }))
        } else if flushed.saved ?? "" != state.text || flushed.values != state.values {
            let draft = try transaction.saveDraft(state.text, values: state.values, for: thread)
            (flushed.saved, flushed.values) = (draft?.content, draft?.values ?? [:])
            flushed.isChanged = true
        }
        return flushed
    }

    /// Saves what was typed every 5 seconds if it has changed, until the task is cancelled. A save that fails is tried again after
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
    ///
    /// - Parameter values: Texts for custom fields, beside those that were typed and in place of them.
    public func send(values: [UUID: String] = [:], place: EntryPlace? = nil) async throws(JournalError) -> JournalEntry
    {
        let new = newEntry(values, place)
        let entry = try await journal.addEntry(new, to: thread)
        end(entry, new.values)
        return entry
    }

    /// Writes the text as an entry at once, and its place in a second transaction if the provider finds it, as
    /// ``Journal/addEntry(_:to:placeFrom:)``. The text is kept if the first one fails.
    public func send(
        values: [UUID: String] = [:], placeFrom provider: some PlaceProvider
    ) async throws(JournalError) -> (entry: JournalEntry, place: Task<PlaceOutcome, Never>) {
        let new = newEntry(values)
        let sent = try await journal.addEntry(new, to: thread, placeFrom: provider)
        end(sent.entry, new.values)
        return sent
    }

    /// Waits for the place, at most 5 seconds, and writes the text as an entry with it, as
    /// ``Journal/addEntry(_:to:waitingForPlaceFrom:)``. What is typed meanwhile is kept as the next draft.
    public func send(
        values: [UUID: String] = [:], waitingForPlaceFrom provider: some PlaceProvider
    ) async throws(JournalError) -> JournalEntry {
        let new = newEntry(values)
        let entry = try await journal.addEntry(new, to: thread, waitingForPlaceFrom: provider)
        end(entry, new.values)
        return entry
    }

    private func newEntry(_ values: [UUID: String], _ place: EntryPlace? = nil) -> NewEntry {
        state.withLock { state in
            NewEntry(state.text, values: state.values.merging(values) { $1 }, place: place)
        }
    }

    /// Ends the text and the values that became an entry.
    private func end(_ entry: JournalEntry, _ values: [UUID: String]) {
        state.withLock { $0.end(entry.id, values) }
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

import Daybook
import Observation

/// What a person is writing in a thread, saved every few seconds while it changes. Nothing runs while nobody writes.
@MainActor @Observable
public final class DraftModel {
    /// Whether the store has what was written.
    public enum Saving: Sendable, Hashable {
        /// The store has the text.
        case saved
        /// The text will be saved within ``DraftSaver/interval``.
        case changed
        /// The text is being saved.
        case saving
        /// The text could not be saved. It is tried again when more is written, and by ``DraftModel/save()``.
        case failed(StoreFailure)
    }

    /// The text so far.
    public var text: String {
        didSet {
            guard text != oldValue else { return }
            saver.edit(text)
            noteChange()
        }
    }
    /// Whether the store has it.
    public private(set) var saving = Saving.saved

    @ObservationIgnored private let saver: DraftSaver
    @ObservationIgnored private let clock: any TimeSource
    @ObservationIgnored private var timer: Following?

    /// Begins with the draft that the store has.
    ///
    /// - Throws: `JournalError.locked`, errors of the store.
    public init(_ journal: Journal, thread: UUID) throws(JournalError) {
        saver = try DraftSaver(journal, thread: thread)
        clock = saver.clock
        text = saver.text
    }

    /// Notes what was written for a custom field; nil for nothing.
    public func edit(_ value: String?, for field: UUID) {
        guard saver.values[field] != value else { return }
        saver.edit(value, for: field)
        noteChange()
    }

    /// Saves now: when the application becomes inactive, before it locks.
    public func save() async {
        timer = nil
        saving = .saving
        do {
            try await saver.flush()
            if saving == .saving { saving = .saved }
        } catch {
            saving = .failed(StoreFailure(error, during: .save))
        }
    }

    /// Writes the text as an entry, which ends the draft. The text is kept if that fails.
    ///
    /// - Returns: The entry; nil when it could not be written, for the reason in ``saving``.
    @discardableResult
    public func send(place: EntryPlace? = nil) async -> JournalEntry? {
        saving = .saving
        do {
            let entry = try await saver.send(place: place)
            // What was written meanwhile is another draft.
            text = saver.text
            timer = nil
            saving = .saved
            if !text.isEmpty { noteChange() }
            return entry
        } catch {
            saving = .failed(StoreFailure(error, during: .save))
            return nil
        }
    }

    private func noteChange() {
        saving = .changed
        guard timer == nil else { return }
        let clock = clock
        let deadline = clock.monotonic.advanced(byMicroseconds: DraftSaver.interval)
        timer = Following(
            Task { [weak self] in
                guard (try? await clock.sleep(until: deadline)) != nil else { return }
                self?.endTimer()
            })
    }

    /// Saving is a separate task: dropping the timer cancels the one that has waited.
    private func endTimer() {
        timer = nil
        Task { await save() }
    }
}

import Daybook
import Observation

/// What models of a journal have in common: at the moment of locking they show nothing any more, and after unlocking they load
/// again by themselves.
@MainActor @Observable
public class JournalModel: LiveModel {
    /// The journal that the model shows a part of.
    public let journal: Journal

    @ObservationIgnored private var unlocking: Following?

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
    }

    /// Removes what a person wrote from the model.
    func hide() {}

    public override func stop() {
        super.stop()
        unlocking = nil
    }

    override func fail(_ error: any Error) {
        super.fail(error)
        guard case .failed(let failure) = phase, failure.reason == .locked else { return }
        hide()
        let states = journal.lock.states
        unlocking = Following(
            Task.detached { [weak self] in
                do {
                    for try await state in states where state != .locked {
                        await self?.retry()
                        return
                    }
                } catch {
                    // Cancelled: the model was stopped or released.
                }
            })
    }
}

/// The threads of a journal, the last changed first, with the numbers of their entries.
@MainActor @Observable
public final class ThreadsModel: JournalModel {
    /// The threads.
    public private(set) var threads: [ThreadSummary] = []

    /// Follows the threads of a store or of a session.
    public override init(_ journal: Journal) { super.init(journal) }

    override func hide() { threads = [] }

    override func start() {
        follow(journal.observeThreads()) { [weak self] in self?.threads = $0.value }
    }
}

/// A thread with its entries and the values of their custom fields.
///
/// Cost of a change: a look-up for each entry that changed, and one for each of its fields; where fields are changed, the values of
/// all entries are read again.
@MainActor @Observable
public final class ThreadModel: JournalModel {
    /// The thread's id.
    public let id: UUID
    /// How many of the last entries are shown; nil for all.
    public let limit: Int?
    /// The thread; nil before it was read, and when it is deleted.
    public private(set) var thread: JournalThread?
    /// Its custom fields in their order.
    public private(set) var fields: [FieldSummary] = []
    /// The last change with the entries after it; nil before the first. With a limit the newest entry is first, otherwise the oldest.
    public private(set) var update: RangeUpdate<JournalEntry>?

    private var values: [UUID: FilledEntry] = [:]

    /// Follows a thread.
    public init(_ journal: Journal, id: UUID, limit: Int? = nil) {
        (self.id, self.limit) = (id, limit)
        super.init(journal)
    }

    /// The entries, in the order of ``update``.
    public var entries: RecordList<JournalEntry> { update?.records ?? RecordList() }

    /// An entry that is shown, with the values of its fields.
    public func filled(_ entry: JournalEntry) -> FilledEntry? { values[entry.id] }

    override func hide() { (thread, fields, update, values) = (nil, [], nil, [:]) }

    override func start() {
        let (journal, id) = (journal, id)
        follow(journal.observe { try $0.thread(id) }) { [weak self] in self?.thread = $0.value }
        follow(
            try journal.observeEntries(of: id, limit: limit).resumed(after: update).map { update in
                (update, try journal.filled(update.steps.compactMap(\.shown)))
            }
        ) { [weak self] update, filled in self?.show(update, filled) }
        follow(journal.observe { try $0.fields(of: id) }) { [weak self] in self?.show($0.value) }
    }

    private func show(_ update: RangeUpdate<JournalEntry>, _ filled: [FilledEntry]) {
        for case .removed(let entry, _) in update.steps { values[entry.id] = nil }
        for entry in filled { values[entry.entry.id] = entry }
        self.update = update
    }

    /// Other fields change what every entry shows.
    private func show(_ fields: [FieldSummary]) {
        guard fields != self.fields else { return }
        self.fields = fields
        let (journal, entries) = (journal, entries)
        guard !entries.isEmpty else { return }
        Task.detached { [weak self] in
            guard let filled = try? journal.filled(Array(entries)) else { return }
            await self?.replace(filled)
        }
    }

    private func replace(_ filled: [FilledEntry]) {
        let shown = Set(entries.map(\.id))
        for entry in filled where shown.contains(entry.entry.id) { values[entry.entry.id] = entry }
    }
}

extension RangeUpdate.Step {
    /// The record that is shown after the step; nil when it is not shown any more.
    fileprivate var shown: R? {
        switch self {
        case .removed: nil
        case .inserted(let record, _), .moved(let record, _, _), .updated(let record, _): record
        }
    }
}

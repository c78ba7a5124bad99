import Daybook
import DaybookModels
import Observation

/// A journal of threads that only its owner sees.
@MainActor @Observable
final class ThreadJournalApp {
    let store: DaybookStore
    let session: DaybookSession
    let lock: LockModel
    let threads: ThreadsModel
    let undo: UndoModel<ThreadUndoNotice>
    private let texts: any DaybookTexts

    /// The thread that is open, with what is being written in it.
    private(set) var open: (thread: ThreadModel, draft: DraftModel)?

    init(_ store: DaybookStore, texts: any DaybookTexts = EnglishTexts()) {
        (self.store, self.texts) = (store, texts)
        session = store.session()
        lock = LockModel(session.journals)
        threads = ThreadsModel(session.journals)
        undo = UndoModel(session.journals)
    }

    var message: String? { (threads.failure ?? undo.failure).map(texts.text) }

    @discardableResult
    func create(_ title: String) async -> JournalThread? {
        await threads.perform { [session] in try await session.journals.createThread(title) }
    }

    /// Opens a thread, with the draft that was left in it.
    func open(_ id: UUID) async {
        await threads.perform(as: .load) { [self] in try await show(id) }
    }

    private func show(_ id: UUID) throws {
        open = (ThreadModel(session.journals, id: id), try DraftModel(session.journals, thread: id))
    }

    /// When the application becomes inactive: saves what was written, and locks.
    func resign() async {
        await open?.draft.save()
        lock.suspend()
    }

    /// The question before a thread is deleted.
    func question(_ summary: ThreadSummary) -> String { texts.deletionQuestion(of: summary) }

    func delete(_ id: UUID) async {
        if open?.thread.id == id { open = nil }
        await threads.perform(as: .delete) { [session] in try await session.journals.deleteThread(id) }
    }

    var screen: String {
        if lock.isLocked { return "Locked" }
        var lines = threads.threads.map { "\($0.thread.title): \(texts.count(ofEntries: $0.entries))" }
        if let open {
            lines.append("= \(open.thread.thread?.title ?? "")")
            lines += open.thread.entries.map { " \($0.content)" }
        }
        if let message { lines.append(message) }
        return lines.joined(separator: "\n")
    }

    /// A line typed in a terminal: `new TITLE` creates a thread and opens it; another line is an entry of the thread that is open.
    func enter(_ line: String) async {
        if line.hasPrefix("new "), let thread = await create(String(line.dropFirst(4))) {
            await open(thread.id)
        } else if let draft = open?.draft {
            draft.text = line
            await draft.send()
        }
    }
}

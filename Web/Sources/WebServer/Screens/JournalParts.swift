import Daybook
import DaybookModels
import FoundationEssentials

/// The threads of the journal. While it is locked there is nothing of them.
@MainActor
final class ThreadsPart: Part {
    private let model: ThreadsModel
    var models: [LiveModel] { [model] }

    init(_ model: ThreadsModel) { self.model = model }

    struct State: PartState {
        var part: String
        var locked = false
        var threads: [Thread] = []
        var empty = ""
    }

    struct Thread: Encodable {
        let id: String
        let name: String
        let entries: Int
        let entriesText: String
        let changed: String
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard model.phase != .loading else { return }
        let (today, zone) = (board.store.context.today, board.store.context.zone)
        let state = State(
            part: request.part, locked: board.store.journals.lock.isLocked,
            threads: model.threads.map {
                Thread(
                    id: $0.thread.id.uuidString.lowercased(), name: $0.thread.title, entries: $0.entries,
                    entriesText: board.texts.count(ofEntries: $0.entries),
                    changed: board.texts.relative(.at($0.thread.updatedAt), on: today, in: zone))
            }, empty: board.texts.emptyJournal)
        page.send(state.locked ? State(part: request.part, locked: true) : state, hasRows: false)
    }
}

/// A thread with its last entries, the newest first, and what is being written.
@MainActor
final class ThreadPart: Part {
    private let model: ThreadModel
    var models: [LiveModel] { [model] }

    init(_ model: ThreadModel) { self.model = model }

    struct State: PartState {
        var part: String
        var locked = false
        var missing: Bool?
        var id = ""
        var name = ""
        var entries: [Entry] = []
        var fields: [Field] = []
        var total = 0
        var empty = ""
        var draft: Draft?
    }

    struct Entry: Encodable {
        let id: String
        let text: String
        let at: String
        let edited: Bool
        let fields: [Value]
    }

    struct Value: Encodable {
        let id: String
        let name: String
        let value: String?
    }

    struct Field: Encodable {
        let id: String
        let name: String
        let group: Bool
    }

    struct Draft: Encodable {
        let text: String
        let saving: String
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard model.phase != .loading else { return }
        var state = State(part: request.part)
        if board.store.journals.lock.isLocked {
            state.locked = true
        } else if let thread = model.thread {
            let zone = board.store.context.zone
            (state.id, state.name, state.empty) = (
                thread.id.uuidString.lowercased(), thread.title, board.texts.emptyThread
            )
            state.total = model.entries.count
            state.entries = model.entries.prefix(request.window.upperBound).map { entry in
                Entry(
                    id: entry.id.uuidString.lowercased(), text: entry.content,
                    at: entry.displayTime(in: zone, texts: EnglishJournalTexts()), edited: entry.isEdited,
                    fields: (model.filled(entry)?.values ?? []).map {
                        Value(id: $0.field.id.uuidString.lowercased(), name: $0.field.name, value: $0.value)
                    })
            }
            state.fields = model.fields.map {
                Field(id: $0.field.id.uuidString.lowercased(), name: $0.field.name, group: $0.field.isGroup)
            }
            if let draft = try? board.draft(of: thread.id) {
                state.draft = Draft(text: draft.text, saving: Self.name(of: draft.saving))
            }
        } else {
            state.missing = true
        }
        page.send(state, hasRows: false)
    }

    private static func name(of saving: DraftModel.Saving) -> String {
        switch saving {
        case .saved: "saved"
        case .changed: "changed"
        case .saving: "saving"
        case .failed: "failed"
        }
    }
}

/// Whether the journal has a lock, and is locked.
@MainActor
final class LockPart: Part {
    private let model: LockModel
    var models: [LiveModel] { [model] }

    init(_ model: LockModel) { self.model = model }

    struct State: PartState {
        var part: String
        let isOn: Bool
        let isLocked: Bool
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        let isOn = try board.session.read { try $0.journals.settings().isLockEnabled }
        page.send(State(part: request.part, isOn: isOn, isLocked: model.isLocked), hasRows: false)
    }
}

/// Recognizes the owner of a journal: who has the terminal can read the code there.
@MainActor
final class UnlockCode {
    private(set) var code = ""
    private var failures = 0
    private let random: any RandomSource
    /// Shows a code to whoever has the terminal.
    var announce: (String) -> Void = { _ in }

    init(random: any RandomSource = SystemRandomSource()) { self.random = random }

    /// A code is good for five attempts, so it cannot be found by trying.
    private static let attempts = 5

    func begin() {
        failures = 0
        code = "\(random.next() % 900_000 + 100_000)"
        announce(code)
    }

    func result(of given: String) -> AuthenticationResult {
        if code.isEmpty { begin() }
        if given == code { return .recognized }
        failures += 1
        if failures >= Self.attempts { begin() }
        return .failed
    }
}

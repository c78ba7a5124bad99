import Daybook
import Threading

extension Vocabulary {
    /// The words for journals (Documentation/Scenarios.md). The texts that are being typed belong to the vocabulary, so each run has
    /// its own.
    public static var journals: Vocabulary {
        let desk = WritingDesk()
        var words = Vocabulary()
        words.addThreads(desk)
        words.addEntries()
        words.addDrafts(desk)
        words.addLock(desk)
        return words
    }

    private mutating func addThreads(_ desk: WritingDesk) {
        // - begin thread: Garden
        add(verb: "begin thread") { value, store in _ = try await store.journals.createThread(value.text()) }
        // - delete thread: Garden
        add(verb: "delete thread") { value, store in
            try await store.journals.deleteThread(store.journals.findThread(value.text()).id)
            desk.use(of: store) { $0.notice = store.journals.undoNotice }
        }
        // - undo thread deletion
        add(verb: "undo thread deletion") { _, store in
            guard let notice = desk.use(of: store, { $0.notice }) else { throw JournalError.nothingToUndo }
            try await store.journals.undo(notice)
        }
        // threads: [Garden, Travel]
        add(subject: "threads") { _, store in .texts(try store.journals.threads().map(\.thread.title).sorted()) }
        // thread notice: Thread deleted
        add(subject: "thread notice") { _, store in
            store.journals.undoNotice.map { .text(EnglishJournalTexts().undoNotice(for: $0)) } ?? .none
        }
    }

    private mutating func addEntries() {
        // - places: yes
        add(verb: "places") { value, store in
            let isOn = try value.text() == "yes"
            if isOn {
                _ = try await store.journals.turnOnPlaces(ScenarioPlaces(answer: "Berlin, Berlin"))
            } else {
                try await store.journals.turnOffPlaces()
            }
        }
        // - write entry: { thread: Garden, text: Roses, place: hangs }
        add(verb: "write entry") { value, store in
            let thread = try store.journals.findThread(value.text("thread")).id
            let new = NewEntry(try value.text("text"))
            guard value["place"] != .none else {
                _ = try await store.journals.addEntry(new, to: thread)
                return
            }
            let places = ScenarioPlaces(answer: try value.text("place"))
            defer { places.release() }
            _ = try await store.journals.addEntry(new, to: thread, waitingForPlaceFrom: places)
        }
        // entries of: { Garden: [Roses] }
        add(subject: "entries of") { expected, store in
            try expected.byThread(in: store) { .texts(try store.journals.entries(of: $0).map(\.content)) }
        }
        // places of: { Garden: ["Berlin, Berlin", none] }
        add(subject: "places of") { expected, store in
            try expected.byThread(in: store) { thread in
                .list(
                    try store.journals.entries(of: thread).map { entry in
                        entry.place.map { .text("\($0)") } ?? .none
                    })
            }
        }
    }

    private mutating func addDrafts(_ desk: WritingDesk) {
        // - type: { thread: Garden, text: half a sen }
        add(verb: "type") { value, store in
            let thread = try store.journals.findThread(value.text("thread")).id
            let saver =
                try desk.use(of: store) { $0.savers[thread] } ?? DraftSaver(store.journals, thread: thread)
            desk.use(of: store) { $0.savers[thread] = saver }
            saver.edit(try value.text("text"))
        }
        // - save drafts: what an application does every five seconds, and before it is locked.
        add(verb: "save drafts") { _, store in
            for saver in desk.savers(of: store) { try await saver.flush() }
        }
        // - send draft: Garden
        add(verb: "send draft") { value, store in
            let thread = try store.journals.findThread(value.text()).id
            guard let saver = desk.use(of: store, { $0.savers[thread] }) else { throw JournalError.emptyContent }
            _ = try await saver.send()
        }
        // draft of: { Garden: half a sen }
        add(subject: "draft of") { expected, store in
            try expected.byThread(in: store) { thread in
                try store.journals.draft(of: thread).map { .text($0.content) } ?? .none
            }
        }
    }

    private mutating func addLock(_ desk: WritingDesk) {
        // - lock journal: yes
        add(verb: "lock journal") { value, store in
            try await store.journals.setLock(value.text() == "yes", isAvailable: true)
        }
        // - leave: the application becomes inactive.
        add(verb: "leave") { _, store in
            for saver in desk.savers(of: store) { try await saver.flush() }
            store.journals.lock.suspend()
        }
        // - recognize: owner
        add(verb: "recognize") { value, store in
            store.journals.lock.unlock(try value.text() == "owner" ? .recognized : .failed)
        }
        // journal: locked
        add(subject: "journal") { _, store in .text(store.journals.lock.isLocked ? "locked" : "open") }
    }
}

extension JournalError: Refusal {}

extension ScenarioValue {
    /// The value of each thread that an expectation names.
    fileprivate func byThread(
        in store: DaybookStore, _ value: (UUID) throws -> ScenarioValue
    ) throws -> ScenarioValue {
        .map(try entries.map { .init($0.key, try value(store.journals.findThread($0.key).id)) })
    }
}

/// What a person is writing, for each open store.
private final class WritingDesk: Sendable {
    struct Sheets {
        weak var store: DaybookStore?
        var savers: [UUID: DraftSaver] = [:]
        var notice: ThreadUndoNotice?
    }

    private let sheets = ForkSafeMutex<[Sheets]>([])

    func use<Result>(of store: DaybookStore, _ body: (inout Sheets) throws -> Result) rethrows -> Result {
        try sheets.withLock { sheets in
            // What was not saved is lost with the store that was open.
            sheets.removeAll { $0.store == nil }
            let index = sheets.firstIndex { $0.store === store } ?? sheets.endIndex
            if index == sheets.endIndex { sheets.append(Sheets(store: store)) }
            return try body(&sheets[index])
        }
    }

    func savers(of store: DaybookStore) -> [DraftSaver] {
        use(of: store) { sheets in
            sheets.savers.sorted { $0.key.lowercased < $1.key.lowercased }.map(\.value)
        }
    }
}

/// A provider that answers as a scenario says: a place, `denied`, `unavailable`, or `hangs`, which never answers.
private final class ScenarioPlaces: PlaceProvider {
    private let answer: String
    private let waiting = ForkSafeMutex<CheckedContinuation<Void, Never>?>(nil)

    init(answer: String) { self.answer = answer }

    /// Resumes a request that hangs, so that its task can end.
    func release() { waiting.withLock { $0.take() }?.resume() }

    func requestPermission() async -> Bool { answer != "denied" }

    func currentPlace() async throws(PlaceError) -> EntryPlace {
        switch answer {
        case "denied": throw .denied
        case "unavailable": throw .unavailable
        case "hangs":
            // It ignores that it is cancelled, as some providers do.
            await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
            throw .unavailable
        default: return EntryPlace(answer)
        }
    }
}

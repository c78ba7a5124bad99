import Daybook
import DaybookModels
import Foundation
import Observation

/// What is open: the store, the models of what pages show of it, and the pages.
///
/// All pages of a server share the models, since they are of one person: twenty pages cost hardly more than one, and an undo that is
/// offered on one can be taken on another. A model exists while a page shows it.
@MainActor
final class Board {
    let texts: any DaybookTexts
    let isReadOnly: Bool
    /// The program that does the store's jobs.
    private let program: String?
    private let pageToken: String
    private let reopen: @Sendable () throws -> DaybookStore
    /// The clock outlives a store that is replaced.
    private let clock: any TimeSource

    private var opened: OpenedStore
    var store: DaybookStore { opened.store }
    var session: DaybookSession { opened.session }
    var lists: ListsModel { opened.lists }
    var undo: UndoModel<UndoNotice> { opened.undo }

    private var pages: [String: OpenPage] = [:]
    private var parts: [String: any Part] = [:]
    private var lastPage = 0
    private var trimming: Task<Void, Never>?
    /// The tasks whose changes are shown and not durable yet.
    let pending = PendingTasks()
    let unlocking = UnlockCode()
    private let identifiers: IdentifierGenerator
    /// What is being written, by threads.
    var drafts: [UUID: DraftModel] = [:]
    /// Whether the store is gone, and is waited for.
    private var isRecovering = false

    init(
        _ store: DaybookStore, isReadOnly: Bool, texts: any DaybookTexts, pageToken: String, program: String? = nil,
        open: @escaping @Sendable () throws -> DaybookStore
    ) {
        (self.isReadOnly, self.texts, self.pageToken, reopen) = (isReadOnly, texts, pageToken, open)
        self.program = program
        clock = store.context.clock
        identifiers = IdentifierGenerator(context: store.context)
        opened = OpenedStore(store)
    }

    /// An id for a new task, so that it can be shown as pending before it is durable.
    func newID() -> UUID { identifiers.next() }

    func announceCodes(_ announce: @escaping (String) -> Void) { unlocking.announce = announce }

    // MARK: Pages

    /// Opens a page: its events, beginning with `hello` and the parts that it shows at first.
    func openPage(showing parts: [PartRequest] = []) -> EventStream {
        lastPage += 1
        let id = "\(lastPage)"
        let (stream, continuation) = AsyncStream<Data>.makeStream(bufferingPolicy: .bufferingOldest(256))
        let page = OpenPage(id: id, continuation)
        pages[id] = page
        page.send(
            "hello",
            Hello(
                page: id, token: pageToken, readOnly: isReadOnly, store: URL(filePath: store.path).lastPathComponent,
                version: LibraryVersion.current, locale: "en"))
        // A part that does not exist is an error when it is asked for by itself.
        try? show(Shown(page: id, parts: parts))
        return EventStream(
            events: stream,
            ending: EventStream.Ending { Task { @MainActor [weak self] in self?.closePage(id) } })
    }

    private func closePage(_ id: String) {
        pages[id] = nil
        dropParts()
    }

    /// Looks after the store's folder every two seconds, and lets pages whose reader is gone be noticed every twenty, until the
    /// task is cancelled.
    func beat() async {
        for turn in 1... {
            do {
                try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 2_000_000))
            } catch {
                return
            }
            checkFolder()
            if turn % 10 == 0 { for page in pages.values { page.beat() } }
        }
    }

    /// Which parts a page shows from now on.
    func show(_ shown: Shown) throws {
        guard let page = pages[shown.page] else { throw InvalidRequest("The page was closed: load it again.") }
        let before = page.requests
        page.show(shown.parts)
        // A page asks for another window with each screenful that it scrolls: only what it asks for anew is read.
        for request in page.requests.values
        where parts[key(of: request, on: page)] == nil || before[request.part] != request {
            let key = key(of: request, on: page)
            if parts[key] == nil {
                parts[key] = try makePart(request)
                follow(key)
            } else {
                send(key, to: page)
            }
        }
        dropParts()
    }

    private func dropParts() {
        let used = Set(pages.values.flatMap { page in page.requests.values.map { key(of: $0, on: page) } })
        let dropped = parts.filter { !used.contains($0.key) }
        guard !dropped.isEmpty else { return }
        for key in dropped.keys { parts[key] = nil }
        releaseMemory()
    }

    /// Gives memory back to the system when the models that were dropped have ended, which they do on other threads: the allocator
    /// keeps it otherwise, and what was the longest view would be the size of the server for good.
    private func releaseMemory() {
        guard trimming == nil else { return }
        let clock = clock
        trimming = Task.detached { [weak self] in
            try? await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 1_000_000))
            _ = allocatorTrim(0)
            await self?.endTrimming()
        }
    }

    private func endTrimming() { trimming = nil }

    /// Every page searches for something else.
    private func key(of request: PartRequest, on page: OpenPage) -> String {
        request.part == "search" ? "search of \(page.id)" : request.part
    }

    // MARK: Parts

    /// Sends a part to the pages that show it, now and whenever something that it shows has changed.
    private func follow(_ key: String) {
        guard let part = parts[key] else { return }
        withObservationTracking {
            _ = (opened.basis.value, pending.version, undo.offer)
            for model in part.models { _ = model.phase }
            for page in pages.values { send(key, to: page) }
        } onChange: { [weak self, weak part] in
            // Weak: what is tracked keeps this closure until something changes, and a long list is large.
            Task { @MainActor in self?.followAgain(key, part) }
        }
    }

    /// A part that was dropped meanwhile, and perhaps made anew, is not followed twice.
    private func followAgain(_ key: String, _ part: (any Part)?) {
        if let part, parts[key] === part { follow(key) }
    }

    private func send(_ key: String, to page: OpenPage) {
        guard let part = parts[key],
            let request = page.requests.values.first(where: { self.key(of: $0, on: page) == key })
        else { return }
        if let failure = part.models.compactMap(\.failureOfPhase).first, failure.reason != .locked {
            page.send(opened.isReplaced ? .replaced : Problem(failure, texts), of: request.part)
            recover(from: failure)
            return
        }
        do {
            try part.send(request, to: page, self)
        } catch {
            let problem = Problem(error, during: .load, texts)
            page.send(problem, of: request.part)
        }
    }

    /// The models of a part.
    func models(of key: String) -> [LiveModel] { parts[key]?.models ?? [] }

    /// Begins a part again that could not be shown.
    func retry(_ name: String, on page: String?) {
        for key in [name, "search of \(page ?? "")"] {
            guard let part = parts[key] else { continue }
            for model in part.models { model.retry() }
            for page in pages.values { send(key, to: page) }
        }
    }

    private func makePart(_ request: PartRequest) throws -> any Part {
        let words = request.part.split(separator: ":", maxSplits: 1).map(String.init)
        let argument = words.count > 1 ? words[1] : nil
        switch (words[0], argument) {
        case ("inbox", nil): return TasksPart(InboxModel(session.tasks), .inbox)
        case ("today", nil): return TodayPart(TodayModel(session.tasks))
        case ("upcoming", nil):
            let model = UpcomingModel(session.tasks)
            return SectionsPart(model, .upcoming) { model.sections }
        case ("past", nil):
            let model = PastModel(session.tasks)
            return SectionsPart(model, .past) { model.sections }
        case ("list", let id?): return try ListPart(id == "none" ? nil : uuid(id), session)
        case ("search", nil): return SearchPart(SearchModel(session.tasks, pageSize: 100))
        case ("lists", nil): return ListsPart(due: LiveValue(session.tasks.observe { try $0.dueCounts() }))
        case ("lists", "open"): return ListsPart(due: nil)
        case ("plan", _): return PlanPart(PlanModel(session.tasks, on: try argument.map { try Day($0) }))
        case ("statistics", _):
            return StatisticsPart(StatisticsModel(session.tasks, month: try argument.map { try Month($0) }))
        case ("task", let id?): return TaskPart(try uuid(id))
        case ("threads", nil): return ThreadsPart(ThreadsModel(session.journals))
        case ("thread", let id?): return ThreadPart(ThreadModel(session.journals, id: try uuid(id), limit: 500))
        case ("undo", nil): return UndoPart()
        case ("lock", nil): return LockPart(LockModel(session.journals))
        case ("status", nil): return StatusPart(store)
        default: throw InvalidRequest("There is no part of this name.")
        }
    }

    // MARK: A store that is gone

    /// Opens the store anew where that is the remedy: it was closed, removed or replaced.
    private func recover(from failure: StoreFailure) {
        guard !isRecovering, failure.remedy == .restart else { return }
        waitForStore()
    }

    /// Notices a folder that was removed or replaced under the store, which goes on with files that have no name any more.
    private func checkFolder() {
        guard !isRecovering, opened.isReplaced else { return }
        for page in pages.values {
            for part in page.requests.keys { page.send(.replaced, of: part) }
        }
        waitForStore()
    }

    /// Tries every second until it succeeds.
    private func waitForStore() {
        isRecovering = true
        let (reopen, clock) = (reopen, clock)
        store.close()
        Task { @MainActor [weak self] in
            while self?.isRecovering == true {
                try? await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 1_000_000))
                let opened = await Task.detached { try? reopen() }.value
                if let opened { self?.use(opened) }
            }
        }
    }

    private func use(_ opened: DaybookStore) {
        isRecovering = false
        self.opened = OpenedStore(opened)
        (parts, drafts) = ([:], [:])
        for page in pages.values {
            page.send("recovered", [String: String]())
            let requests = Array(page.requests.values)
            page.show([])
            try? show(Shown(page: page.id, parts: requests))
        }
    }

    // MARK: Requests

    func answer(_ kind: String, _ request: WebRequest) async -> WebResponse {
        do {
            switch kind {
            case "show":
                try show(request.decoded())
                return try .value(Int?.none)
            case "do": return try await perform(request)
            case "store":
                if request.changes, isReadOnly, !StoreInspector.isHarmless(request) { throw Problem.readOnly }
                return try await StoreInspector(store: store, program: program).answer(request)
            default: return try await StatisticsPages(store: store).answer(request)
            }
        } catch {
            return .problem(Problem(error, during: .save, texts))
        }
    }

    private func perform(_ request: WebRequest) async throws -> WebResponse {
        guard let name = request.path.first, let verb = Verbs.all[name] else {
            throw InvalidRequest("There is no such verb.")
        }
        if isReadOnly, !verb.isReading { throw Problem.readOnly }
        return try .value(try await verb.perform(request.decoded(), self).map(AnyEncodable.init))
    }
}

/// The first event of a page.
private struct Hello: Encodable {
    let page: String
    let token: String
    let readOnly: Bool
    let store: String
    let version: String
    let locale: String
}

/// The body of `/show`.
struct Shown: Codable, Sendable {
    let page: String
    let parts: [PartRequest]
}

/// `malloc_trim` of `malloc.h`, which Glibc's module does not have.
@_silgen_name("malloc_trim") private func allocatorTrim(_ kept: Int) -> Int32

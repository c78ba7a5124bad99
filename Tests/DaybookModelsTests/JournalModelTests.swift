import Daybook
import DaybookModels
import Synchronization
import Testing

@MainActor @Suite struct JournalModelTests {
    @Test("A thread shows its entries with the values of its fields, which follow them [J-OP8]")
    func thread() async throws {
        let world = try World()
        let journals = world.session.journals
        let thread = try await journals.createThread("Garden", firstEntry: "first")
        let threads = ThreadsModel(journals)
        let model = ThreadModel(journals, id: thread.id)
        await shown { threads.phase == .ready && model.phase == .ready }
        #expect(threads.threads.map(\.entries) == [1])
        #expect(model.entries.map(\.content) == ["first"])
        let field = try await journals.editFields { try $0.createField("Mood", in: thread.id) }
        await shown { model.fields.map(\.field.name) == ["Mood"] }
        let entry = try await journals.addEntry(NewEntry("second", values: [field.id: "calm"]), to: thread.id)
        await shown { model.entries.count == 2 }
        func values() -> [String?] { model.filled(entry)?.values.map { "\($0.field.name): \($0.value ?? "")" } ?? [] }
        #expect(values() == ["Mood: calm"])
        try await journals.editEntry(entry.id, "second", values: [field.id: "glad"])
        await shown { values() == ["Mood: glad"] }
        try await journals.editFields { try $0.renameField(field.id, to: "Feeling") }
        await shown { values() == ["Feeling: glad"] }
        try await journals.deleteEntries([entry.id])
        await shown { model.entries.count == 1 && model.filled(entry) == nil && threads.threads.first?.entries == 1 }
    }

    @Test("At the moment of locking nothing is shown any more; after unlocking everything is there again [J-OP12]")
    func lock() async throws {
        let world = try World()
        let journals = world.session.journals
        let thread = try await journals.createThread("Garden", firstEntry: "first")
        let (threads, entries) = (ThreadsModel(journals), ThreadModel(journals, id: thread.id))
        let model = LockModel(journals)
        #expect(model.isLocked)
        await shown { !model.isLocked && threads.phase == .ready && entries.phase == .ready }
        await model.setLock(true, isAvailable: true)
        model.suspend()
        #expect(model.isLocked)
        await shown { threads.threads.isEmpty && entries.entries.isEmpty && entries.thread == nil }
        for phase in [threads.phase, entries.phase] {
            guard case .failed(let failure) = phase else {
                Issue.record("a model shows a locked journal")
                continue
            }
            #expect(failure.reason == .locked && failure.remedy == .unlock)
        }
        model.unlock(.failed)
        #expect(model.isLocked && model.hasFailed)
        model.unlock(.recognized)
        await shown { threads.threads.count == 1 && entries.entries.count == 1 && !model.isLocked }
        #expect(!model.hasFailed)
    }

    @Test("A draft is saved five seconds after it was begun, tells when, and becomes an entry [J-OP9]")
    func draft() async throws {
        let world = try World()
        let journals = world.session.journals
        let thread = try await journals.createThread("Garden")
        let model = try DraftModel(journals, thread: thread.id)
        #expect(model.saving == .saved && world.clock.sleeperCount == 0)
        model.text = "It r"
        model.text = "It rains"
        #expect(model.saving == .changed)
        await world.wait { world.clock.sleeperCount == 1 }
        #expect(try journals.draft(of: thread.id) == nil)
        world.advance(seconds: 5)
        await shown { model.saving == .saved }
        #expect(try journals.draft(of: thread.id)?.content == "It rains")
        #expect(world.clock.sleeperCount == 0)
        // Another start of the application.
        let again = try DraftModel(journals, thread: thread.id)
        #expect(again.text == "It rains")
        #expect(await again.send()?.content == "It rains")
        #expect(again.text.isEmpty && again.saving == .saved)
        #expect(try journals.draft(of: thread.id) == nil)
        // What cannot be saved is kept.
        again.text = "more"
        world.store.close()
        await again.save()
        guard case .failed(let failure) = again.saving else {
            Issue.record("a closed store has saved a draft")
            return
        }
        #expect(failure.attempt == .save && again.text == "more")
    }

    @Test("The deletion of a thread is offered to be undone for five seconds [J-OP5, X-20]")
    func undo() async throws {
        let world = try World()
        let journals = world.session.journals
        let thread = try await journals.createThread("Garden")
        let model = UndoModel(journals)
        let threads = ThreadsModel(journals)
        await shown { threads.threads.count == 1 }
        try await journals.deleteThread(thread.id)
        await shown { model.secondsLeft == 5 && threads.threads.isEmpty }
        #expect(await model.undo())
        await shown { threads.threads.count == 1 && model.offer == nil }
    }

    @Test("Sync is shown as the service reports it, and pulled by hand [L-FR31, L-FR43]")
    func sync() async throws {
        let service = Service()
        let model = SyncModel(service)
        #expect(model.status == nil)
        await shown { model.status?.phase == .idle }
        await model.syncNow()
        #expect(model.status?.lastSuccess != nil)
        service.report(SyncStatus(.offline, pendingCount: 2))
        await shown { model.status?.phase == .offline && model.status?.pendingCount == 2 }
    }
}

/// A service that a test controls.
private final class Service: SyncService {
    private let readers = Mutex<[AsyncStream<SyncStatus>.Continuation]>([])

    var statuses: AsyncStream<SyncStatus> {
        let (stream, continuation) = AsyncStream<SyncStatus>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield(SyncStatus(.idle))
        readers.withLock { $0.append(continuation) }
        return stream
    }

    func report(_ status: SyncStatus) {
        for reader in readers.withLock({ $0 }) { reader.yield(status) }
    }

    func start() async {}
    func stop() async {}

    func now() async -> SyncStatus { SyncStatus(.idle, lastSuccess: Instant(microsecondsSince1970: 0)) }
}

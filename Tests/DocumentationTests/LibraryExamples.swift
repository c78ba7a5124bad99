import Daybook
import Foundation
import Testing

/// The examples of Documentation/Library.md, in its order. `ExampleTests` compares the page with this file.
@Suite struct LibraryExamples {
    let temporary = TemporaryFolder()

    @Test("Opening a store creates it, and reads return its tasks")
    func open() async throws {
        let folder = temporary.file("store")
        let store = try DaybookStore.open(at: folder)  // creates the store if the folder is missing or empty
        try await store.tasks.create("Water the plants")
        let reader = try DaybookStore.open(at: folder, options: StoreOptions(isReadOnly: true))
        #expect(try reader.tasks.inbox().map(\.text) == ["Water the plants"])
    }

    @Test("The operations of tasks")
    func tasks() async throws {
        let store = try temporary.store()
        let task = try await store.tasks.create("Review chapter 3")  // in the Inbox
        let other = try await store.tasks.create("Call Ann", on: store.context.today, notes: "After lunch")
        try await store.tasks.create((1...3).map { NewTask("Step \($0)") })  // one transaction

        try await store.tasks.schedule(task.id, on: .today)  // .tomorrow, .inbox, .on(day)
        try await store.tasks.schedule(task.id, on: try Day(parsing: "fri", today: store.context.today))
        try await store.tasks.schedule(task.id, on: .today, at: .first)
        try await store.tasks.reorder(other.id, to: .before(task.id))  // .first, .last, .after, .index

        try await store.tasks.start(task.id)  // active
        try await store.tasks.complete(task.id)  // completed
        try await store.tasks.reopen(task.id)  // not started
        try await store.tasks.edit(other.id) { $0.notes = "Before lunch" }
        try await store.tasks.delete(other.id)
        try await store.tasks.undo()  // repeatedly, if you like
        try await store.tasks.redo()

        #expect(try store.tasks.today().map(\.text) == ["Review chapter 3"])
        #expect(try store.tasks.inbox().map(\.text) == ["Step 1", "Step 2", "Step 3"])
        #expect(try store.tasks.get(other.id) == nil)
    }

    @Test("The views, and carrying over what is overdue")
    func views() async throws {
        let (store, clock) = try temporary.storeWithClock()
        let yesterday = store.context.clock.wall
        try await store.tasks.create("Left over", in: .today)
        clock.advance(byMicroseconds: 24 * 3600 * 1_000_000)
        try await store.tasks.create("Pack", on: store.context.today.advanced(by: 1))

        let today = try store.tasks.today()  // a collection of tasks; no await, no lock
        for task in today { print(task.state, task.text) }
        print(today.completedCount, today.validUntil)  // completed tasks of today; the next midnight

        for group in try store.tasks.upcoming() { print(group.day, group.tasks.count) }
        let overdue = try store.tasks.past(openOnly: true)
        let recent = try store.tasks.created(in: yesterday..<store.context.clock.wall)  // of every state, by time
        try await store.tasks.carry(overdue.map(\.id), to: .today)

        // Several answers from one moment:
        let (inbox, statistics) = try store.tasks.read { (try $0.inbox(limit: 20), try $0.statistics()) }

        #expect(today.isEmpty)
        #expect(recent.map(\.text) == ["Left over"])
        #expect(try store.tasks.today().map(\.text) == ["Left over"])
        #expect(inbox.isEmpty && statistics.today == 0)
    }

    @Test("Search by words, with a filter and pages")
    func search() async throws {
        let store = try temporary.store()
        try await store.tasks.create("Call Ada")
        let found = try store.tasks.search("ada cal")  // every word, or a word that begins so; a page of 20
        for task in found.records { print(task.text) }
        let filter = SearchFilter(openOnly: true, category: "home", from: store.context.today)
        let more = try store.tasks.search("ada cal", filter, after: found.next, limit: 100)

        #expect(found.records.map(\.text) == ["Call Ada"])
        #expect(more.records.isEmpty)
    }

    @Test("Categories and their counts")
    func categories() async throws {
        let store = try temporary.store()
        let task = try await store.tasks.create("Report")
        try await store.tasks.edit(task.id) { $0.category = "Work" }
        for category in try store.tasks.categories() { print(category.name, category.open, category.all) }
        let work = try store.tasks.tasks(inCategory: "work", openOnly: true)  // a page

        #expect(work.records.map(\.id) == [task.id])
    }

    @Test("Tags, priorities and subtasks")
    func tagsAndSubtasks() async throws {
        let store = try temporary.store()
        let task = try await store.tasks.create("Report")
        try await store.tasks.tag([task.id], ["work", "deep work"])
        try await store.tasks.setPriority([task.id], to: .high)
        for tag in try store.tasks.tags() { print(tag.name, tag.open, tag.all) }
        var step = NewTask("Collect the figures")
        step.parent = task.id  // its day and its list as well
        try await store.tasks.create([step])
        let steps = try store.tasks.subtasks(of: task.id)
        try await store.tasks.move(steps.map(\.id), under: nil)  // on its own again

        #expect(steps.map(\.text) == ["Collect the figures"])
        #expect(try store.tasks.subtasks(of: task.id) == [])
    }

    @Test("Hidden tasks, and what is due")
    func waiting() async throws {
        let store = try temporary.store()
        let task = try await store.tasks.create("Report")
        try await store.tasks.due([task.id], .day(store.context.today))
        try await store.tasks.wait([task.id], until: store.context.today.advanced(by: 7))
        let hidden = try store.tasks.waiting()
        let due = try store.tasks.due(by: store.context.today)  // due, and not planned for today

        #expect(hidden.map(\.id) == [task.id] && due == [])
    }

    @Test("A task that waits for another one")
    func dependencies() async throws {
        let store = try temporary.store()
        let paint = try await store.tasks.create("Paint the wall")
        let buy = try await store.tasks.create("Buy paint")
        try await store.tasks.block(paint.id, by: buy.id)  // paint waits for buy
        let waiting = try store.tasks.blockers(of: paint.id, openOnly: true)
        let blocked = try store.tasks.blockedTasks()  // open, and waiting for an open one
        try await store.tasks.unblock(paint.id, by: buy.id)

        #expect(waiting.map(\.id) == [buy.id])
        #expect(blocked.map(\.id) == [paint.id])
    }

    @Test("Due and upcoming reminders")
    func reminders() async throws {
        let store = try temporary.store()
        let trip = try await store.tasks.create("Plan trip")
        try await store.tasks.remind(trip.id, on: try Day("2026-03-28"), secondsIntoDay: 9 * 3600)  // 09:00 local time
        try await store.tasks.remind(trip.id, at: nil)  // no reminder

        for task in try store.tasks.dueReminders() { print(task.text) }  // of open tasks, by time
        let now = store.context.clock.wall
        let next = try store.tasks.reminders(in: now..<now.advanced(bySeconds: 3600))

        let scheduler = ReminderScheduler(store.tasks)
        try await scheduler.deliverDue { reminder in print(reminder.title) }  // `run` waits for the next ones as well

        #expect(next.isEmpty)
    }

    @Test("Lists, due dates and the timeline")
    func lists() async throws {
        let store = try temporary.store()
        let trip = try await store.tasks.create("Plan trip")
        let home = try await store.tasks.createList("Home", color: "FF6B6B")
        var rent = NewTask("Pay rent")
        (rent.list, rent.due) = (home.id, .day(try Day("2026-03-01")))  // or .at(instant)
        let paid = try await store.tasks.create([rent])[0]
        try await store.tasks.move([trip.id], toList: home.id)  // nil: out of its list
        try await store.tasks.reorder(trip.id, inListTo: .first)  // each list has its own order

        for summary in try store.tasks.lists().lists { print(summary.list.name, summary.open) }  // no task is read
        let late = try store.tasks.overdue()  // open tasks whose due time is over
        let widget = try store.tasks.timeline(hours: 24)  // what a widget shows until then
        let deleted = try await store.tasks.deleteList(home.id)  // with its tasks; undone as one
        print(late.count, widget.entries.count, deleted.tasks)

        #expect(try store.tasks.get(paid.id) == nil)
        #expect(deleted.tasks == 2)
    }

    @Test("The plan of a day, rollover and expiry")
    func planner() async throws {
        let store = try temporary.store()
        let trip = try await store.tasks.create("Plan trip")
        var report = NewTask("Write the report")
        (report.region, report.bucket, report.autoCarry) = (.morning, .must, true)  // on today, if it has no day
        let planned = try await store.tasks.create([report])[0]
        try await store.tasks.place(trip.id, region: .evening, bucket: .misc)  // throws bucketFull above the cap
        try await store.tasks.reorderInPlan(trip.id, to: .first)
        try await store.tasks.setSticky([planned.id], to: true)
        try await store.tasks.setExpiry([trip.id], to: store.context.clock.wall.advanced(bySeconds: 7 * 86_400))

        let plan = try store.tasks.plan(on: store.context.today)
        for region in plan.regions {
            for bucket in region.buckets {
                print(region.region.name, bucket.bucket.name, bucket.used, bucket.tasks.count)
            }
        }
        let morning = try store.tasks.planCounts(on: store.context.today).open(in: .morning)  // no task is read

        let rollover = try await store.tasks.rollOver()  // when the application starts, and when a day begins
        let archived = try await store.tasks.archiveExpired()
        print(morning, rollover.carried.count, rollover.unassigned.count, archived.count)

        #expect(plan[.evening, .misc].map(\.text) == ["Plan trip"])
        #expect(morning == 1 && rollover.carried.isEmpty && archived.isEmpty)
    }

    @Test("Statistics of the present and of a month")
    func statistics() async throws {
        let store = try temporary.store()
        try await store.tasks.complete(store.tasks.create("Plan trip").id)
        let counts = try store.tasks.statistics()
        print(counts.today, counts.week, counts.month, counts.lastMonth, counts.trend)
        let month = try store.tasks.statistics(of: try Month("2026-02"))
        for day in month.days { print(day.day, day.completed) }

        let review = try store.tasks.review(ofWeekContaining: store.context.today)
        print(review.completed, review.carried, review.overdue, review.completionRate ?? 0)
        for day in review.days { print(day.day, day.completed, day.scheduled) }

        #expect(counts.today == 1)
        #expect(month.days.count == 28)
        #expect(review.completed == 1)
    }

    @Test("Several steps in one transaction")
    func transaction() async throws {
        let store = try temporary.store()
        let trip = try await store.tasks.write { tasks in
            let trip = try tasks.create("Plan trip")
            try tasks.schedule(trip.id, on: .tomorrow)
            return trip
        }
        #expect(try store.tasks.upcoming().flatMap(\.tasks).map(\.id) == [trip.id])
        try editWithoutConcurrency(store, trip)
        #expect(try store.tasks.get(trip.id)?.category == "travel")
    }

    private func editWithoutConcurrency(_ store: DaybookStore, _ trip: TaskItem) throws {
        try store.write { transaction in
            try transaction.tasks.edit(trip.id) { $0.category = "travel" }
        }
    }

    @Test("A record type of the application beside tasks, in one transaction")
    func ownRecords() async throws {
        let folder = temporary.file("store")
        let now = Context.system.clock.wall
        let hourAgo = now.advanced(bySeconds: -3600)
        let store = try DaybookStore.open(at: folder, records: Schema().adding(Reading.collection))
        try await store.write { transaction in
            try transaction.put(
                Reading(id: transaction.identifiers.next(), sensor: "roof", takenAt: now, celsius: 21.5))
            try transaction.tasks.create("Look at the roof")  // both or neither
        }
        let recent = try store.read { try $0[Reading.byTime].range(from: hourAgo) }
        let count = try store.read { try $0[Reading.perDay].count(on: $0.context.today, in: $0.context.zone) }
        let page = try store.read { try $0[Reading.self].page(after: nil, limit: 20) }

        #expect(recent.map(\.sensor) == ["roof"])
        #expect(count == 1)
        #expect(page.count == 1)
        #expect(try store.tasks.inbox().map(\.text) == ["Look at the roof"])
        #expect(try store.verify().isClean)
    }

    @Test("The change feed", .timeLimit(.minutes(15)))
    func changes() async throws {
        let store = try temporary.store()
        let follower = Task {
            let last = try store.read { try $0.lastSequence() }
            for try await change in store.changes(after: last) {  // each once, in order, of every process
                for entry in change.entries where entry.collection == TaskItem.collection.name {
                    print(change.sequence, entry.kind, try entry.id(as: UUID.self))
                }
            }
        }
        try await store.tasks.create("Pack")
        follower.cancel()
        _ = await follower.result
    }

    @Test("A registered consumer", .timeLimit(.minutes(15)))
    func consumer() async throws {
        let folder = temporary.file("store")
        let store = try DaybookStore.open(at: folder, records: Schema().adding(Seen.collection))
        let follower = Task {
            let consumer = try await store.consumer("search-index")  // new ones begin with the first change
            do {
                for try await change in consumer.changes() {  // those after its position
                    let sequence = change.sequence
                    try await store.write { transaction in
                        for entry in change.entries where entry.collection == TaskItem.collection.name {
                            try transaction.put(Seen(id: entry.id(), inChange: Int64(sequence)))  // derived
                        }
                        try transaction.advance(consumer, to: sequence)  // both or neither
                    }
                }
            } catch RecordsError.changesTrimmed {  // it was abandoned for too long
                let sequence = try store.read { transaction in
                    try transaction[TaskItem.self].forEach { task in  // read the present state instead
                        print(task.id)
                        return true
                    }
                    return try transaction.lastSequence()
                }
                try await consumer.advance(to: sequence)  // and follow from there
            }
            for status in try store.consumers { print(status.name, status.position, status.changesBehind) }
            try await consumer.unregister()
        }
        let task = try await store.tasks.create("Pack")
        // The last change is what the consumer derived from the creation; it derives nothing from that.
        let changes = store.changes(after: 1).makeAsyncIterator()
        #expect(try await changes.next()?.entries.map(\.collection) == ["seen"])
        #expect(try store.read { try $0[Seen.self].get(task.id)?.inChange } == 1)
        follower.cancel()
        _ = await follower.result
        #expect(try store.consumers.map(\.name) == ["search-index"])
    }

    @Test("A live view", .timeLimit(.minutes(15)))
    func liveView() async throws {
        let store = try temporary.store()
        let follower = Task {
            for try await update in store.tasks.changes(in: .today) {  // commits, midnight, clock, zone
                for step in update.steps {
                    switch step {
                    case .inserted(let task, let index): print("+", index, task.text)
                    case .removed(_, let index): print("-", index)
                    case .moved(_, let from, let to): print(from, "->", to)
                    case .updated(let task, let index): print("=", index, task.text)
                    }
                }
            }
        }
        try await store.tasks.create("Pack", in: .today)
        follower.cancel()
        _ = await follower.result
    }

    @Test("Live statistics", .timeLimit(.minutes(15)))
    func liveStatistics() async throws {
        let store = try temporary.store()
        let follower = Task {
            for try await update in store.tasks.observeStatistics() { print(update.value.today, update.value.trend) }
        }
        try await store.tasks.create("Pack", in: .today)
        follower.cancel()
        _ = await follower.result
    }

    @Test("A session, which shows what is pending")
    func session() async throws {
        let store = try temporary.store()
        let session = store.session()  // one for a user interface
        do {
            let pack = try await session.tasks.create("Pack", in: .today)  // in session.tasks.today() at once
            try await session.tasks.complete(pack.id)  // durable when it returns
        } catch {
            print("Failed to save task. Please try again.", error)  // it is no longer shown
        }
        let today = try session.read { try $0.tasks.today() }  // with what is pending
        let saving = session.pendingCount > 0
        #expect(today.map(\.text) == ["Pack"] && !saving)
        #expect(try store.tasks.today().map(\.isCompleted) == [true])
    }

    @Test("An undo notice that expires")
    func undoNotice() async throws {
        let store = try temporary.store()
        let trip = try await store.tasks.create("Plan trip", in: .today)
        try await store.tasks.complete(trip.id)
        if let notice = store.tasks.undoNotice {  // for 3 seconds after a move, a reorder or a change of state
            print(EnglishTaskTexts().undoNotice(for: notice.action))  // "Marked as completed"
            try await store.tasks.undo(notice)  // even if other tasks changed in the meantime
        }
        #expect(try store.tasks.today().first?.isCompleted == false)
    }

    @Test("Exporting, importing, dumping and loading")
    func files() async throws {
        let store = try temporary.store()
        try await store.tasks.create("Pack")
        let (file, everything) = (temporary.url("tasks.ndjson"), temporary.url("everything.ndjson"))
        let folder = temporary.url("loaded")

        try store.files.export(to: file, as: .ndjson)  // the complete file, or none
        let report = try await store.files.import(file)  // imported, unchanged, skipped

        try store.files.dump(to: everything)  // every collection as NDJSON, without loss
        try StoreFiles.load(everything, into: folder)  // into a new store

        #expect(report.unchanged == 1)
        #expect(try DaybookStore.open(at: folder).tasks.inbox().map(\.text) == ["Pack"])
    }

    @Test("Snapshots: full, incremental, verified, restored, pruned, listed")
    func snapshots() async throws {
        let store = try temporary.store()
        try await store.tasks.create("Pack")
        let backups = temporary.url("backups")
        try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: false)
        let full = backups.appending(path: "full.snapshot")
        let incremental = backups.appending(path: "incremental.snapshot")
        let folder = temporary.url("restored")

        let snapshot = try await store.files.snapshot(to: full)  // read back and verified when this returns
        try await StoreFiles.restore(full, to: folder)  // built, verified, flushed and renamed into place

        let changes = SnapshotOptions(since: full)  // only what changed since; restoring needs both files
        try await store.files.snapshot(to: incremental, options: changes)

        let summary = try StoreFiles.verify(incremental)  // every byte and record, without restoring
        try StoreFiles.prune(backups, keeping: SnapshotRetention(days: 7, weeks: 4))  // verifies what stays first
        for found in try StoreFiles.list(backups) { print(found.name) }

        #expect(!snapshot.isEncrypted)
        #expect(summary.chainLength == 2)
        #expect(try StoreFiles.list(backups).count == 2)
        #expect(try DaybookStore.open(at: folder).tasks.inbox().map(\.text) == ["Pack"])
    }

    @Test("Errors by case and by code")
    func errors() async throws {
        let store = try temporary.store()
        let trip = try await store.tasks.create("Plan trip")
        do {
            try await store.tasks.schedule(trip.id, on: try Day("2001-01-01"))
        } catch TaskError.pastDay(let day) {
            print("\(day) is in the past")
        } catch let error as TaskError {
            print(error.code, error.kind, error)
        }
        #expect(try store.tasks.inbox().count == 1)
    }

    @Test("A test with a settable clock and zone")
    func ownClock() async throws {
        let folder = temporary.file("store")
        let clock = SettableClock(try Instant("2026-03-28T22:30:00Z"))
        let zone = SettableZone(try Zone("Europe/Berlin"))  // zone.set(...) travels
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 7), zones: zone, weekStart: .monday)
        let store = try DaybookStore.open(at: folder, context: context)

        try await store.tasks.create("Pack", in: .today)
        clock.advance(byMicroseconds: 30 * 60 * 1_000_000)  // midnight in Berlin
        print(try store.tasks.today().isEmpty)  // true
        print(try store.tasks.past().count)  // 1

        #expect(try store.tasks.today().isEmpty)
        #expect(try store.tasks.past().count == 1)
    }
}

/// What the consumer of the example derives.
struct Seen: Record {
    let id: UUID
    var inChange: Int64

    static let collection = RecordCollection<Seen>("seen") {
        Field(1, "inChange", .integer)
    }

    init(id: UUID, inChange: Int64) {
        self.id = id
        self.inChange = inChange
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        inChange = try fields.int64(1)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, inChange)
    }
}

struct Reading: Record {
    let id: UUID
    var sensor: String
    var takenAt: Instant
    var celsius: Double
    var note: String?

    static let collection = RecordCollection<Reading>("readings") {
        Field(1, "sensor", .text)
        Field(2, "takenAt", .instant)
        Field(3, "celsius", .double)
        Field(4, "note", .text)
        byTime
        perDay
    }
    static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }
    static let perDay = RollUp("perDay", over: byTime)

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        sensor = try fields.string(1)
        takenAt = try fields.instant(2)
        celsius = try fields.double(3)
        note = try fields.optionalString(4)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sensor)
        fields.put(2, takenAt)
        fields.put(3, celsius)
        fields.put(4, note)
    }
}

extension Reading {
    init(id: UUID, sensor: String, takenAt: Instant, celsius: Double, note: String? = nil) {
        self.id = id
        self.sensor = sensor
        self.takenAt = takenAt
        self.celsius = celsius
        self.note = note
    }
}

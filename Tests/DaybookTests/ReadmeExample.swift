import Daybook
import Testing

/// The library example of the README, word for word but for the folder. It must compile and do what it says.
@Suite struct ReadmeExample {
    @Test("README: keep a task list")
    func keepATaskList() async throws {
        let temporary = TemporaryFolder()
        let folder = "\(temporary.path)/daybook"

        let daybook = try DaybookStore.open(at: folder)  // creates it safely when it is not there
        let task = try await daybook.tasks.create("Review chapter 3")  // durable when this returns
        try await daybook.tasks.schedule(task.id, on: .tomorrow)
        try await daybook.tasks.complete(task.id)

        for task in try daybook.tasks.today() { print(task.state, task.text) }  // one range scan, no await
        let month = try daybook.tasks.statistics().month  // a few small reads, whatever the size
        try await daybook.tasks.undo()

        for try await update in daybook.tasks.changes(in: .upcoming) {  // inserts, moves, updates; midnight included
            print(update.steps.count)
            break
        }

        try await daybook.write { transaction in  // several steps in one transaction
            let trip = try transaction.tasks.create("Plan trip")
            try transaction.tasks.schedule(trip.id, on: .today)
        }  // a throw leaves nothing behind

        #expect(month == 1)
        #expect(try daybook.tasks.statistics().month == 0)
        #expect(try daybook.tasks.today().map(\.text) == ["Plan trip"])
        #expect(try daybook.tasks.upcoming().flatMap(\.tasks).map(\.text) == ["Review chapter 3"])
    }

    @Test("README: a record type of one's own, beside the tasks, in one transaction")
    func ownRecords() async throws {
        let temporary = TemporaryFolder()
        let folder = "\(temporary.path)/daybook"

        let daybook = try DaybookStore.open(at: folder, records: Schema().adding(Reading.collection))
        let now = daybook.context.clock.wall
        let day = daybook.context.today
        let reading = Reading(id: UUID(), sensor: "roof", takenAt: now, celsius: 21.5)

        try await daybook.write { transaction in
            try transaction.put(reading)
            try transaction.tasks.create("Look at the roof")
        }
        let recent = try daybook.read { try $0[Reading.byTime].range(from: now.advanced(bySeconds: -3600)) }
        let count = try daybook.read { try $0[Reading.perDay].count(on: day, in: daybook.context.zone) }

        #expect(recent == [reading])
        #expect(count == 1)
        #expect(try daybook.tasks.inbox().map(\.text) == ["Look at the roof"])
        #expect(try daybook.verify().isClean)
    }
}

/// Reading the declaration tells everything that is stored.
struct Reading: Record, Equatable {
    var id: UUID
    var sensor: String
    var takenAt: Instant
    var celsius: Double

    static let byTime = Index<Reading, Instant>("byTime") { $0.takenAt }
    static let perDay = RollUp("perDay", over: byTime)
    static let collection = RecordCollection<Reading>("readings") {
        byTime
        perDay
    }

    init(id: UUID, sensor: String, takenAt: Instant, celsius: Double) {
        self.id = id
        self.sensor = sensor
        self.takenAt = takenAt
        self.celsius = celsius
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        sensor = try fields.string(1)
        takenAt = try fields.instant(2)
        celsius = try fields.double(3)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, sensor)
        fields.put(2, takenAt)
        fields.put(3, celsius)
    }
}

import ArgumentParser
import Daybook
import FoundationEssentials
import HubClient
import Measuring
import Sync
import Workloads

/// Counts the bytes that edits take up on the way to the hub.
struct Wire: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Count the bytes of edits, in one push of each kind",
        discussion:
            "The same edits as Hub/Measurements/count_taskchampion.py, whose result can be given with --taskchampion.")

    @Option(help: "The store's folder, which must not exist.")
    var store: String

    @Option(help: "How many tasks are edited in a push.")
    var batch = 100

    @Option(help: "How many bytes TaskChampion sends for the same edits.")
    var taskchampion: Double?

    /// One edit of each task.
    private struct Kind {
        let name: String
        let edit: @Sendable (TaskTransaction, UUID, Int) throws -> Void
    }

    private static let kinds = [
        Kind(name: "text") { tasks, id, number in _ = try tasks.edit(id) { $0.text = "Buy seeds \(number)" } },
        Kind(name: "category") { tasks, id, _ in _ = try tasks.edit(id) { $0.category = "garden" } },
        Kind(name: "due day") { tasks, id, _ in
            _ = try tasks.due(id, .day(Day(clampingDaysSince1970: 20_600)))
        },
        // One unit of five fields: state, time, zone, offset and epoch.
        Kind(name: "completion") { tasks, id, _ in _ = try tasks.setState(id, to: .completed) },
    ]

    func run() async throws {
        let random = Context.system.random
        let (identity, _) = try SpaceIdentity.create(hub: "http://127.0.0.1", pin: nil, name: "wire", random: random)
        try DaybookStore.open(at: store).close()
        try identity.write(inStore: store)
        let opened = try DaybookStore.open(at: store)
        defer { opened.close() }
        let hub = AcceptingHub()
        let sealed = opened.replica(as: identity)
        try await sealed.begin(space: identity.space, device: identity.device)
        let tasks = try await opened.tasks.create((0..<batch).map { NewTask("Task \($0)") })
        _ = try await SyncLoop(sealed, over: hub).run()
        var sums = (plain: 0, sealed: 0)
        for kind in Self.kinds {
            let ids = tasks.map(\.id)
            try await opened.write { transaction in
                for (number, id) in ids.enumerated() { try kind.edit(transaction.tasks, id, number) }
            }
            let request = try await sealed.prepare().request
            let bytes = request.encoded.count
            var unsealed = request
            unsealed.units = try request.units.map { unit in
                var unit = unit
                unit.body = try identity.sealing.open(unit)
                return unit
            }
            let open = unsealed.encoded.count
            sums.plain += open
            sums.sealed += bytes
            report("bytes on the wire for an edit of the \(kind.name), plain", open)
            report("the same sealed", bytes)
            _ = try await SyncLoop(sealed, over: hub).run()
        }
        let kinds = Self.kinds.count
        report("the mean of these, in batches of \(batch), plain", sums.plain, of: kinds, limit: 80)
        report("the same sealed", sums.sealed, of: kinds, limit: 96)
        guard let taskchampion else { return }
        let mean = Double(sums.sealed) / Double(batch * kinds)
        let row = MeasuredRow(
            nil, "the mean sealed, of the \(taskchampion) bytes that TaskChampion sends for the same edits",
            .ratio(mean / taskchampion), limit: .ratio(0.5))
        print(row.markdown)
    }

    /// Prints the mean of a push for each task, or of several.
    private func report(_ what: String, _ bytes: Int, of pushes: Int = 1, limit: Int? = nil) {
        let mean = Double(bytes) / Double(batch * pushes)
        print(MeasuredRow(nil, what, .bytes(Int(mean.rounded(.up))), limit: limit.map { .bytes($0) }).markdown)
    }
}

/// Accepts everything, and keeps the sum of the digests: as much of a hub as one device needs.
private actor AcceptingHub: SyncTransport {
    private let epoch = UUID()
    private var keys: [String: UInt64] = [:]
    private var head: Int64 = 0

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        for unit in request.units { keys["\(unit.record) \(unit.unit)"] = unit.digest }
        head += Int64(request.units.count)
        return SyncAnswer(
            epoch: epoch, results: request.units.map { _ in .accepted }, units: [], next: head, head: head,
            digest: keys.values.reduce(0, &+), time: SystemClock().wall.microsecondsSince1970)
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer { RecordsAnswer(units: []) }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { head }
}

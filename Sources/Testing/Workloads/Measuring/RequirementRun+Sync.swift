import Daybook
import FoundationEssentials
import Measuring
import Sync

extension RequirementRun {
    /// Times creates in a store that is synced, each beside one in a store that is not; what the stamps take; and the way of
    /// many tasks from one device to another, without the network between them.
    func sync() async throws -> [MeasuredRow] {
        let context = BenchStore.context(at: BenchStore.plannedMoment)
        let plain = try DaybookStore.open(at: "\(folder)/requirements-plain", context: context)
        defer { plain.close() }
        let (identity, _) = try SpaceIdentity.create(
            hub: "http://127.0.0.1", pin: nil, name: "bench", random: context.random)
        let source = try await synced("requirements-synced", as: identity, device: 1, context)
        defer { source.store.close() }
        var times = PairedTimes()
        for number in 0..<max(scale.creates, 1) {
            let alone = try await Stopwatch.nanosecondsAwaiting { _ = try await plain.tasks.create("Task \(number)") }
            let beside = try await Stopwatch.nanosecondsAwaiting {
                _ = try await source.store.tasks.create("Task \(number)")
            }
            times.add(ours: beside, theirs: alone)
        }
        let (beside, alone) = times.medians
        try await source.store.tasks.create(
            (scale.creates..<max(scale.synced, scale.creates)).map { NewTask("Task \($0)") })
        let stamps = try source.store.read { transaction in
            var (bytes, count) = (0, 0)
            try transaction.forEachStored(in: SyncSchema.stampsOfTasks) { key, value in
                // Each stored value ends in a checksum of 8 bytes.
                bytes += key.count + value.count + 8
                count += 1
                return true
            }
            return Double(bytes) / Double(max(count, 1))
        }
        let hub = MeasuringHub()
        let pushing = try await Stopwatch.nanosecondsAwaiting {
            _ = try await SyncLoop(source.replica, over: hub).run()
        }
        let target = try await synced("requirements-joined", as: identity, device: 2, context)
        defer { target.store.close() }
        let pulling = try await Stopwatch.nanosecondsAwaiting {
            _ = try await SyncLoop(target.replica, over: hub).run()
        }
        let count = try target.store.tasks.inbox().count
        return [
            MeasuredRow(
                "sync", "median of \(max(scale.creates, 1)) creates in a synced store against one that is not",
                .ratio(Double(beside) / Double(max(alone, 1))), limit: .ratio(1.1)),
            MeasuredRow("sync", "bytes of stamps of a task", .bytes(Int(stamps.rounded(.up))), limit: .bytes(64)),
            MeasuredRow(
                "sync", "sealing and acknowledging \(count) tasks, without the network", .time(pushing)),
            MeasuredRow(
                "sync", "a new device with \(count) tasks, without the network", .time(pulling),
                limit: .time(Int64(max(count, 10_000)) * 300_000)),
        ]
    }

    private func synced(
        _ name: String, as identity: SpaceIdentity, device: UInt64, _ context: Context
    ) async throws -> (store: DaybookStore, replica: SyncReplica) {
        let path = "\(folder)/\(name)"
        try DaybookStore.open(at: path, context: context).close()
        try identity.write(inStore: path)
        let store = try DaybookStore.open(at: path, context: context)
        let replica = store.replica(as: identity)
        try await replica.begin(space: identity.space, device: device)
        return (store, replica)
    }
}

/// Keeps what is pushed in memory, as it came, for another device to pull: no hub, but the least that two devices need.
private actor MeasuringHub: SyncTransport {
    private let epoch = UUID(high: 1, low: 1)
    private var units: [NumberedUnit] = []
    private var digest: UInt64 = 0

    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        for unit in request.units {
            units.append(NumberedUnit(unit, sequence: Int64(units.count) + 1, device: 1))
            digest &+= unit.digest
        }
        let start = request.units.isEmpty ? Int(request.after) : units.count
        let page = units[start..<min(start + SyncProtocol.unitLimit, units.count)]
        return SyncAnswer(
            epoch: epoch, results: request.units.map { _ in .accepted }, units: Array(page),
            next: Int64(start + page.count), head: Int64(units.count), digest: digest,
            time: BenchStore.plannedMoment.microsecondsSince1970)
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer { RecordsAnswer(units: []) }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { Int64(units.count) }
}

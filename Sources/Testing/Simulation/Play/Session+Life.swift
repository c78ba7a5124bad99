import Daybook

/// Opening, crashes, and other processes.
extension Session {
    /// The number of earlier changes that a resumed feed must repeat.
    private static let repeatedCount = 3

    func open() async throws {
        let repeated = try await openStoreInFolder()
        try compareRepeated(repeated)
    }

    /// Returns the changes that the feed repeats.
    private func openStoreInFolder() async throws -> [Change] {
        let repeatedCount = isBeyondModel ? 0 : model.changes(last: Self.repeatedCount).count
        let sequence = isBeyondModel ? knownSequence : model.sequence
        let openStore = try OpenStore(
            at: storePath, of: scenario, after: sequence - repeatedCount, records: vocabulary.records,
            options: options, in: world)
        self.openStore = openStore
        startDelivering()
        await world.settle()
        // The first update of a live view is its whole content.
        for follower in openStore.followers { _ = try follower.take() }
        return openStore.feed.take(repeatedCount)
    }

    /// - Parameter count: the number of changes after those.
    private func compareRepeated(_ changes: [Change], followedBy count: Int = 0) throws {
        let expected = isBeyondModel ? [] : model.changes(last: Self.repeatedCount + count).dropLast(count)
        let found = modelChanges(changes)
        guard expected.count == found.count, zip(expected, found).allSatisfy({ $0.accepts($1) }) else {
            throw StoryFailure(
                "the change feed of before", expected: Self.list(expected.map(\.description)),
                found: Self.list(found.map(\.description)))
        }
    }

    /// Converts changes of the feed. Only a domain's own model follows what the domain changes in tasks.
    func modelChanges(_ changes: [Change]) -> [ModelChange] {
        changes.map { ModelChange($0, name: name, includingTasks: !domainHasTasks) }
    }

    /// Stops the machine, during an operation if one is given, and opens what remains.
    func crash(_ crash: Crash, during action: Action?, choice: UInt64) async throws -> String {
        guard machine.canFail || action == nil && crash == .process else {
            throw SimulationError.machineCannot("a crash within an operation, or of the power")
        }
        guard openStore != nil else {
            throw StoryFailure("what can be", expected: "an open store to crash", found: "a closed one")
        }
        machine.setFault(nil, writes: 0)
        let modelBefore = model
        let firstCall = machine.callCount
        let reportedBefore = reported
        if let action { _ = try await operate(action) }
        // A call that a crash interrupts returns nothing.
        reported = reportedBefore
        let changes = expectedChanges
        let isChange = try !changes.isEmpty || isBeyondModel && hasUnknownChanges()
        // A crash can preserve some of several changes that a verb makes.
        if changes.count > 1 { isBeyondModel = true }
        expectedChanges = []
        let calls = action == nil ? firstCall..<firstCall : firstCall..<machine.callCount
        let oldFolder = folder
        try makeFolder()
        if !machine.canFail { try machine.begin(watching: oldFolder) }
        let words = try machine.leave(crash, within: calls, choice: choice, in: folder)
        await closeStore()
        removeFolder(oldFolder)
        if machine.canFail { try machine.begin(watching: folder) }

        let modelAfter = model
        model = modelBefore
        recordsOfCrash = modelAfter.records
        let repeated = try await openStoreInFolder()
        // The resumed change feed shows whether the operation survived.
        let isThere = (openStore?.feed.count ?? 0) > 0
        if isThere {
            model = modelAfter
            expectedChanges = changes
        }
        try compareRepeated(repeated, followedBy: expectedChanges.count)
        model.forgetNotice()
        return "\(words)\(action == nil || !isChange ? "" : isThere ? ", change present" : ", change absent")"
    }

    /// Performs an action in another process, in one transaction.
    func elsewhere(_ action: Action) async throws -> String? {
        let openStore = try requireOpenStore(for: "elsewhere")
        guard machine.canFail else { throw SimulationError.machineCannot("a second process") }
        guard action != .undoNotice else {
            throw StoryFailure(
                "elsewhere", expected: "an operation that another process can perform",
                found: "an undo notice of this process")
        }
        // A fault only affects operations of this process.
        machine.setFault(nil, writes: 0)
        if case .custom(let verb, let value) = action, let pack = vocabulary.pack {
            return try await performElsewhere(verb, of: pack, value, in: openStore)
        }
        // The other process draws its ids from another seed.
        let seed = world.random.next()
        let path = storePath
        let context = Context(
            clock: world.clock, random: SeededRandomSource(seed: seed), zones: world.zones,
            weekStart: scenario.weekStart)
        let steps = StoreSteps(actions: action.parts, ids: ids, moment: moment, context: context)
        let records = vocabulary.records
        let answer = try machine.runElsewhere {
            Self.performAlone(action, steps, at: path, context: context, records: records)
        }
        let words = answer.split(separator: "\n").map(String.init)
        guard let result = words.first else { throw StoryFailure("elsewhere", expected: "an answer", found: "none") }
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let id = UUID(uuidString: parts[0]) else { continue }
            if parts[1].hasPrefix(Self.reportMark) {
                reported[String(parts[1].dropFirst()), default: []].append(id)
            } else {
                learn(parts[1], is: id)
            }
        }
        let found = result == "done" ? nil : result
        refusal = found
        let count = expectedChanges.count
        if action.hasTaskVerb {
            if !isBeyondModel { try await followChanges(by: "elsewhere", openStore) }
            return found
        }
        let refusal = try follow(action, asked: moment, found: found, isElsewhere: true)
        let expected = expectedChanges.count
        if expected > count {
            // The notification comes from the operating system's file watch, asynchronously.
            _ = await world.executor.settle { [feed = openStore.feed] in feed.count >= expected }
        }
        return refusal
    }

    /// Marks the name of a report among the names of tasks that another process returns.
    private static let reportMark = "\u{1}"

    /// Runs in the other process, without Swift tasks: only the calling thread exists there.
    private static func performAlone(
        _ action: Action, _ steps: StoreSteps, at path: String, context: Context, records: Schema
    ) -> String {
        do {
            let daybook = try DaybookStore.open(at: path, context: context, records: records)
            let label = action.hasTaskVerb ? action.operation.label : ChangeLabel()
            let outcome = try daybook.store.write(label) { transaction -> StoreSteps.Outcome in
                switch action {
                case .undo: try transaction.tasks.undo()
                case .redo: try transaction.tasks.redo()
                default: return try steps.perform(in: transaction.tasks)
                }
                return StoreSteps.Outcome()
            }
            let created = outcome.created.sorted { $0.key < $1.key }.map { "\($0.value.lowercased)=\($0.key)" }
            let reported = outcome.reported.sorted { $0.key < $1.key }.flatMap { name, ids in
                ids.map { "\($0.lowercased)=\(reportMark)\(name)" }
            }
            return (["done"] + created + reported).joined(separator: "\n")
        } catch let error as TaskError {
            return error.code
        } catch let error as RecordsError {
            return error.code
        } catch {
            return "\(error)"
        }
    }
}

extension Session {
    /// The waits between a store's retries (requirement S-41).
    private static let waits: [Int64] = [500_000, 1_000_000, 1_500_000]

    /// Returns whether the injected fault made the operation fail, as it must when every try met it. Checks the number
    /// of tries and the time that they took.
    func checkFault(_ found: String?, since before: ModelMoment) throws -> Bool {
        let hits = machine.faultsHit - faultsBefore
        faultsBefore = machine.faultsHit
        guard hits > 0 else { return false }
        let waited = moment.monotonic.microseconds(since: before.monotonic)
        let expected = Self.waits.prefix(hits).reduce(0, +)
        guard waited == expected else {
            throw StoryFailure(
                "waits before new tries", expected: "\(expected) microseconds after \(hits) failures",
                found: "\(waited) microseconds")
        }
        let failed = hits > Self.waits.count
        let codes = ["disk-full", "busy"]
        guard failed == codes.contains(found ?? "") else {
            throw StoryFailure(
                "the step under a fault", expected: failed ? "a failure" : "success after \(hits) new tries",
                found: found ?? "success")
        }
        return failed
    }
}

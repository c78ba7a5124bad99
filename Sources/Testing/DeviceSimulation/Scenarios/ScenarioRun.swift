import CivilTime
import FoundationEssentials
import Injection
import LabSupport
import Records
import Sync
import Tasks

extension SyncSimulation {
    /// Plays a scenario, lets everything settle, and compares what random runs compare.
    ///
    /// - Parameters:
    ///   - point: a rule that is broken.
    ///   - scratch: where the folders of devices are made; nil for the memory.
    package static func play(
        _ scenario: DeviceScenario, breaking point: InjectionPoint? = nil, in scratch: String? = nil
    ) async throws -> SyncReport {
        var traits = SyncTraits(seed: 1, without: Set(SyncTrait.allCases))
        traits.hubProcesses = scenario.hubProcesses
        traits.delay = 2_000
        let space = try SpaceRun(
            seed: 1, traits: traits,
            hub: ModelHub(pageLimit: scenario.pageLimit, numbersOutsideLock: point == .numbersUnitsOutsideLock),
            breaking: point, in: scratch)
        let run = ScenarioRun(space, scenario)
        do {
            try await run.play()
        } catch {
            run.note("the run failed: \(error)")
        }
        if !space.report.problems.isEmpty { try ScratchFull.check(MemoryFolder.root(scratch)) }
        return space.report
    }
}

/// The play of a scenario.
final class ScenarioRun {
    let space: SpaceRun
    private let scenario: DeviceScenario
    /// Tasks and lists by the text that they were created with.
    private var names: [String: UUID] = [:]
    private var line = 0

    init(_ space: SpaceRun, _ scenario: DeviceScenario) {
        self.space = space
        self.scenario = scenario
    }

    func play() async throws {
        space.isCalm = true
        for number in 1...max(scenario.devices, 1) {
            try await space.join(try space.makeDevice(isOlder: scenario.older.contains(number), offset: 0))
        }
        for (number, step) in scenario.steps.enumerated() {
            line = step.line
            space.step = number + 1
            space.isCalm = true
            try await play(step.action)
            space.note(steps: number + 1)
            if !space.report.problems.isEmpty { break }
        }
        if space.report.problems.isEmpty { try await space.checkEverything() }
        for program in space.programs { await space.end([program]) }
    }

    func note(_ problem: String) { space.note(problem: "line \(line): \(problem)") }

    private func device(_ number: Int) throws -> SimulatedDevice {
        guard let device = space.devices.first(where: { $0.place == number - 1 }) else {
            throw ScenarioError("There is no device \(number) in line \(line): name one that there is.")
        }
        return device
    }

    private func play(_ action: DeviceScenario.Action) async throws {
        switch action {
        case .change(let number, let change): try await apply(change, on: device(number))
        case .setReachable(let number, let isReachable):
            space.setReachable(try device(number), isReachable)
            guard isReachable else { return }
            for program in space.programs(of: try device(number)) { try await space.inform(program) }
        case .advance(let microseconds): try await space.advance(to: space.now + microseconds)
        case .close(let microseconds): try await space.pass(microseconds)
        case .sync: try await sync()
        case .die(let number, let units):
            guard let units else { return try await space.crash(device(number)) }
            try space.setTrap(device(number), after: units)
        case .back(let number): space.copies[number - 1] = (try device(number).copy(), space.step)
        case .restore(let number): try await space.restoreCopy(of: device(number))
        case .copy(let number): try await space.copy(device(number))
        case .join: try await space.join(try space.makeDevice(isOlder: false, offset: 0))
        case .upgrade(let number): try await space.restart(device(number)) { try $0.upgrade() }
        case .step(let number, let microseconds):
            let clock = try device(number).clock
            clock.setWall(clock.wall.advanced(byMicroseconds: microseconds))
        case .hub(let event): try await happen(event)
        case .lose(let message, let number, let times): space.script.lose(message, of: number - 1, times: times)
        case .refuse(let refusal, let number, let times):
            space.script.refuse(refusal.refusal, of: number - 1, times: times)
        case .fail(let statement, let fault, let times): space.script.fail(statement, fault, times: times)
        case .delay(let statement, let number, let microseconds):
            space.script.delay(statement, of: number - 1, microseconds)
        case .expect(let expectation): try await check(expectation)
        }
    }

    private func sync() async throws {
        guard space.unreachable.isEmpty else { return try await space.advance(to: space.now + 60_000_000) }
        if try await space.settle(within: 1_200_000_000) == nil { note("the devices do not come to an end") }
    }

    private func happen(_ event: DeviceScenario.HubEvent) async throws {
        switch event {
        case .save: try await space.hub.save()
        case .restart:
            space.stopHub(0)
            space.after(5_000_000) { [space] in space.stopped.remove(0) }
        case .restore, .restoreSilently, .empty:
            space.mayDiffer = true
            try await space.restoreHub { [hub = space.hub] in
                switch event {
                case .empty: try await hub.empty()
                default: try await hub.restore(isNewEpoch: event == .restore)
                }
            }
        }
    }

    // MARK: What people do

    private func id(_ name: String) throws -> UUID {
        guard let id = names[name] else {
            throw ScenarioError(
                "Nothing was created as '\(name)' before line \(line): create it, or name something else.")
        }
        return id
    }

    private func apply(_ change: DeviceScenario.Change, on device: SimulatedDevice) async throws {
        var isDone = false
        var created: (name: String, id: UUID)?
        /// Does it as one operation.
        func operate(_ operation: TaskOperation, _ body: (TaskTransaction) throws -> Void) async throws {
            try await space.change(device, "\(operation)", as: operation) {
                try body($0.tasks)
                isDone = true
            }
        }
        switch change {
        case .create(let text, let list):
            var new = NewTask(text)
            new.list = try list.map(id)
            try await operate(.create) { created = (text, try $0.create(new).id) }
        case .createList(let name): try await operate(.createList) { created = (name, try $0.createList(name).id) }
        case .edit(let name, let text):
            let id = try id(name)
            try await operate(.edit) { _ = try $0.edit(id) { $0.text = text } }
        case .annotate(let name, let notes):
            let id = try id(name)
            try await operate(.edit) { _ = try $0.edit(id) { $0.notes = notes } }
        case .setState(let name, let state):
            let id = try id(name)
            try await operate(.changeState) { _ = try $0.setState(id, to: state) }
        case .setSticky(let name, let isSticky):
            let id = try id(name)
            try await operate(.setSticky) { _ = try $0.setSticky(id, to: isSticky) }
        case .delete(let name):
            let id = try id(name)
            try await operate(.delete) { _ = try $0.delete(id) }
        case .purge(let name):
            let id = try id(name)
            try await operate(.purge) { try $0.purge(id) }
        case .renameList(let list, let name):
            let id = try id(list)
            try await operate(.editList) { _ = try $0.renameList(id, to: name) }
        case .deleteList(let list):
            let id = try id(list)
            try await operate(.deleteList) { _ = try $0.deleteList(id) }
        case .move(let name, let list):
            let (id, list) = (try id(name), try self.id(list))
            try await operate(.move) { _ = try $0.move(id, toList: list) }
        case .undo: try await operate(.several) { _ = try $0.undo() }
        case .redo: try await operate(.several) { _ = try $0.redo() }
        }
        if let created { names[created.name] = created.id }
        if !isDone { note("the change was refused") }
    }

    // MARK: What must be true

    private func check(_ expectation: DeviceScenario.Expectation) async throws {
        if let units = expectation.units {
            let found = try await space.hubUnits().count
            if found != units { note("the hub has \(found) units, not \(units)") }
        }
        for device in try expectation.device.map({ [try device($0)] }) ?? space.devices {
            for (subject, found, wanted) in try comparisons(expectation, device) where found != wanted {
                note("device \(device.place + 1): \(subject): expected \(wanted), found \(found)")
            }
        }
    }

    private func comparisons(
        _ expectation: DeviceScenario.Expectation, _ device: SimulatedDevice
    ) throws -> [(subject: String, found: String, wanted: String)] {
        let (tasks, lists) = try device.store.read {
            (try $0[TaskItem.self].page(limit: 1000), try $0[CustomList.self].page(limit: 1000))
        }
        func texts(_ isIncluded: (TaskItem) -> Bool) -> String {
            "\(tasks.filter(isIncluded).map(\.text).sorted())"
        }
        var all: [(String, String, String)] = []
        if let wanted = expectation.tasks { all.append(("tasks", texts { _ in true }, "\(wanted.sorted())")) }
        if let wanted = expectation.completed {
            all.append(("completed", texts(\.isCompleted), "\(wanted.sorted())"))
        }
        if let wanted = expectation.sticky { all.append(("sticky", texts(\.isSticky), "\(wanted.sorted())")) }
        for (text, notes) in expectation.notes {
            let found = tasks.filter { $0.text == text }.map { $0.notes ?? "none" }
            all.append(("the notes of '\(text)'", "\(found)", "\([notes])"))
        }
        if let wanted = expectation.lists {
            let found = lists.map { list in "\(list.name): \(texts { $0.listID == list.id })" }.sorted()
            all.append(("lists", "\(found)", "\(wanted.map { "\($0.list): \($0.tasks.sorted())" }.sorted())"))
        }
        let status = try device.replica.status()
        for (subject, found, wanted) in [
            ("conflicts", status.conflicts, expectation.conflicts), ("pending", status.pending, expectation.pending),
            ("full pulls", status.fullPulls, expectation.fullPulls),
        ] {
            if let wanted { all.append((subject, "\(found)", "\(wanted)")) }
        }
        return all
    }
}

/// What makes a scenario impossible to play.
struct ScenarioError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

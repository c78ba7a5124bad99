import CivilTime
import DomainPacks
import Records
import Tasks

/// What people do on their devices.
extension SpaceRun {
    /// Changes something on a device, and notifies its programs.
    func change(
        _ device: SimulatedDevice, _ name: String, as operation: TaskOperation = .several,
        _ body: (WriteTransaction) throws -> Void
    ) async throws {
        let before = try Edits.values(in: device.store)
        do {
            try device.change(operation, body)
        } catch is TaskError {
            return count("\(name) refused", in: "operations")
        } catch RecordsError.nothingToUndo, RecordsError.nothingToRedo, RecordsError.changedSince {
            return
        } catch  where device.isFull && error.isStorageFull {
            return count("write on a full disk refused", in: "devices")
        } catch {
            return note(problem: "device \(device.place): \(name) was refused: \(error)")
        }
        count(name, in: "operations")
        note("device \(device.place): \(name)")
        edits.note(before, try Edits.values(in: device.store), on: device.place, step: step)
        for program in programs(of: device) { try await inform(program) }
    }

    /// Does something at random.
    func operate(_ device: SimulatedDevice) async throws {
        words += 1
        switch dice.below(100) {
        case 0..<20: try await write(device)
        case 20..<32 where traits.has(.undo):
            // As rarely as people do.
            dice.chance(70)
                ? try await change(device, "undo") { _ = try $0.tasks.undo() }
                : try await change(device, "redo") { _ = try $0.tasks.redo() }
        case 32..<36 where traits.has(.purge):
            guard let task = try pick(device) else { return }
            try await change(device, "purge", as: .purge) { try $0.tasks.purge(task.id) }
        default: try await draw(device)
        }
    }

    /// Types a text that nobody else types: whose text a device shows must be known in the end.
    private func write(_ device: SimulatedDevice) async throws {
        guard let task = try pick(device) else { return }
        let word = "w\(words)"
        if dice.chance(50) {
            try await change(device, "edit", as: .edit) { _ = try $0.tasks.edit(task.id) { $0.text = word } }
        } else {
            try await change(device, "annotate", as: .edit) { _ = try $0.tasks.edit(task.id) { $0.notes = word } }
        }
    }

    /// Several things happen to the same few.
    private func pick(_ device: SimulatedDevice) throws -> TaskItem? {
        let limit = dice.chance(50) ? 3 : 30
        let tasks = try device.store.read { try $0[TaskItem.self].page(limit: limit) }
        return tasks.isEmpty ? nil : dice.pick(tasks)
    }

    /// Does what a verb of the pack of tasks draws from the device's store.
    private func draw(_ device: SimulatedDevice) async throws {
        let (limit, last) = (dice.chance(50) ? 3 : Int.max, numbers)
        // A version that does not know the plan leaves it as it is; this program would give a task of another day another place in it.
        let model = try device.store.read { transaction in
            try TasksPack(contentOf: transaction, lastNumber: last, limit: limit) { task in
                !device.isOlder || task.region == .backlog && task.bucket == .none
            }
        }
        // So that a run remains quick.
        let isMuch = model.tasks.count > 22 && dice.chance(50)
        let operations = traits.operations(isOlder: device.isOlder).filter { !isMuch || $0.name == "remove" }
        let weighted = operations.flatMap { Array(repeating: $0, count: $0.weight) }
        guard !weighted.isEmpty else { return }
        let operation = dice.pick(weighted)
        let moment = DomainMoment(device.clock.wall, in: device.context.zone)
        var draw = DomainDraw(dice.below(1_000_000), at: moment)
        guard let body = operation.transaction(model, &draw) else { return }
        numbers += 1
        try await change(device, operation.name, body)
    }
}

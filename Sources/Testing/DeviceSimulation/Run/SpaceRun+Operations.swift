import CivilTime
import FoundationEssentials
import Records
import Tasks

/// What people do on their devices.
extension SpaceRun {
    /// Changes something on a device, and notifies its programs.
    func change(
        _ device: SimulatedDevice, _ name: String, as operation: TaskOperation = .several,
        _ body: (TaskTransaction) throws -> Void
    ) async throws {
        let before = try Edits.values(in: device.store)
        do {
            try device.change(operation, body)
        } catch is TaskError {
            return
        } catch RecordsError.nothingToUndo, RecordsError.nothingToRedo, RecordsError.changedSince {
            return
        } catch  where device.isFull && error.isStorageFull {
            return count("write on a full disk refused", in: "devices")
        } catch {
            return note(problem: "device \(device.place): a change was refused: \(error)")
        }
        count(name, in: "operations")
        note("device \(device.place): \(name)")
        edits.note(before, try Edits.values(in: device.store), on: device.place, step: step)
        for program in programs(of: device) { try await inform(program) }
    }

    /// Does something at random.
    func operate(_ device: SimulatedDevice) async throws {
        words += 1
        let word = "w\(words)"
        let tasks = try device.store.read { try $0[TaskItem.self].page(limit: 30) }
        let lists = try device.store.read { try $0[CustomList.self].page(limit: 10) }
        let day = device.context.today.advanced(by: dice.below(6))
        let list = traits.has(.lists) && !lists.isEmpty && dice.chance(60) ? dice.pick(lists).id : nil
        guard !tasks.isEmpty, tasks.count > 22 || !dice.chance(18) else {
            var new = NewTask(word, on: dice.chance(50) ? day : nil)
            new.list = list
            if traits.has(.recurrence), dice.chance(25) { new.recurrence = try RecurrenceRule(rrule: "FREQ=DAILY") }
            return try await change(device, "create", as: .create) { _ = try $0.create(new) }
        }
        // Several things happen to the same few.
        let task = dice.chance(50) ? tasks[dice.below(min(tasks.count, 3))] : dice.pick(tasks)
        let choice = dice.below(100)
        if choice < 45 { return try await operate(on: task, day, word, device) }
        if choice < 60, traits.has(.undo) {
            // As rarely as people do.
            return dice.chance(70)
                ? try await change(device, "undo") { _ = try $0.undo() }
                : try await change(device, "redo") { _ = try $0.redo() }
        }
        if choice < 72, traits.has(.lists) { return try await operate(onLists: lists, list, task, word, device) }
        if choice < 84, traits.has(.planner), !device.isOlder { return try await plan(task, device) }
        if choice < 94, traits.has(.recurrence) { return try await recur(task, device) }
        if traits.has(.purge), dice.chance(40) {
            return try await change(device, "purge", as: .purge) { try $0.purge(task.id) }
        }
        try await change(device, "delete", as: .delete) { _ = try $0.delete(task.id) }
    }

    private func operate(on task: TaskItem, _ day: Day, _ word: String, _ device: SimulatedDevice) async throws {
        let id = task.id
        switch dice.below(12) {
        case 0, 1: try await change(device, "edit", as: .edit) { _ = try $0.edit(id) { $0.text = word } }
        case 2, 3: try await change(device, "annotate", as: .edit) { _ = try $0.edit(id) { $0.notes = word } }
        case 4, 5: try await change(device, "complete", as: .changeState) { _ = try $0.setState(id, to: .completed) }
        case 6: try await change(device, "reopen", as: .changeState) { _ = try $0.setState(id, to: .notStarted) }
        case 7: try await change(device, "start", as: .changeState) { _ = try $0.setState(id, to: .active) }
        case 8: try await change(device, "schedule", as: .schedule) { _ = try $0.schedule(id, on: .on(day)) }
        case 9: try await change(device, "reorder", as: .reorder) { _ = try $0.reorder(id, to: .first) }
        case 10: try await classify(task, day, word, device)
        default: try await change(device, "due", as: .due) { _ = try $0.due(id, .day(day)) }
        }
    }

    /// In turn, so that the other choices of a seed stay as they are. An earlier version has categories only.
    private func classify(_ task: TaskItem, _ day: Day, _ word: String, _ device: SimulatedDevice) async throws {
        let id = task.id
        switch device.isOlder ? 0 : words % 5 {
        case 1: try await change(device, "tag", as: .tag) { _ = try $0.tag(id, [word, "both"]) }
        case 2: try await change(device, "setPriority", as: .setPriority) { _ = try $0.setPriority(id, to: .high) }
        case 3: try await change(device, "wait", as: .wait) { _ = try $0.wait(id, until: day) }
        case 4:
            let parent = try device.store.read { try $0[TaskItem.self].page(limit: 1).first?.id }
            try await change(device, "nest", as: .setParent) { _ = try $0.move(id, under: parent == id ? nil : parent) }
        default: try await change(device, "categorize", as: .edit) { _ = try $0.edit(id) { $0.category = word } }
        }
    }

    private func operate(
        onLists lists: [CustomList], _ list: UUID?, _ task: TaskItem, _ word: String, _ device: SimulatedDevice
    ) async throws {
        guard let list, lists.count > 1 || dice.chance(50) else {
            return try await change(device, "createList", as: .createList) { _ = try $0.createList(word) }
        }
        switch dice.below(6) {
        case 0: try await change(device, "renameList", as: .editList) { _ = try $0.renameList(list, to: word) }
        case 1: try await change(device, "reorderList", as: .reorderList) { _ = try $0.reorderList(list, to: .first) }
        case 2: try await change(device, "deleteList", as: .deleteList) { _ = try $0.deleteList(list) }
        default: try await change(device, "move", as: .move) { _ = try $0.move(task.id, toList: list) }
        }
    }

    private func plan(_ task: TaskItem, _ device: SimulatedDevice) async throws {
        let id = task.id
        let expiry = device.clock.wall.advanced(byMicroseconds: Int64(dice.below(7_200)) * 1_000_000)
        let region = dice.pick([TaskRegion.morning, .evening, .backlog])
        let bucket = dice.pick([TaskBucket.must, .misc, .none])
        switch dice.below(7) {
        case 0, 1:
            try await change(device, "place", as: .place) { _ = try $0.place(id, region: region, bucket: bucket) }
        case 2: try await change(device, "setSticky", as: .setSticky) { _ = try $0.setSticky(id, to: !task.isSticky) }
        case 3: try await change(device, "setExpiry", as: .setExpiry) { _ = try $0.setExpiry(id, to: expiry) }
        case 4:
            try await change(device, "setAutoCarry", as: .setAutoCarry) { _ = try $0.setAutoCarry(id, to: true) }
        case 5: try await change(device, "expire", as: .expire) { _ = try $0.archiveExpired() }
        default: try await change(device, "rollover", as: .rollover) { _ = try $0.rollOver() }
        }
    }

    private func recur(_ task: TaskItem, _ device: SimulatedDevice) async throws {
        let rule = try RecurrenceRule(rrule: dice.pick(["FREQ=DAILY", "FREQ=WEEKLY;COUNT=3"]))
        switch dice.below(4) {
        case 0: try await change(device, "repeat", as: .setRecurrence) { _ = try $0.repeat(task.id, by: rule) }
        case 1: try await change(device, "skip", as: .skip) { _ = try $0.skip(task.id) }
        default:
            try await change(device, "complete", as: .changeState) { _ = try $0.setState(task.id, to: .completed) }
        }
    }
}

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Records
@testable import Sync
@testable import Tasks

/// Undo works on each unit of a record, and leaves alone what another device has changed since.
@Suite struct UndoTests: SyncSuite {
    let hub = TestHub()

    private func syncAll(_ devices: [TestDevice]) async throws {
        try await syncTwice(devices)
        #expect(try devices[0].content() == devices[1].content())
        for device in devices {
            #expect(try device.replica.status().fullPulls == 0)
            var problems = try device.store.verify().problems
            try device.tasks.checkInvariants { problems.append($0) }
            #expect(problems == [])
        }
        advance(devices)
    }

    private func task(_ id: UUID, _ device: TestDevice) throws -> TaskItem? {
        try device.store.read { try $0[TaskItem.self].get(id) }
    }

    /// What an undo has left to others.
    private func undo(_ device: TestDevice) throws -> Int {
        try device.change { transaction in
            _ = try transaction.tasks.undo()
            return transaction.keptByUndo
        }
    }

    @Test("Undo takes back the units that are still this device's, and reports that others stay")
    func units() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk").id }
        try await syncAll(devices)
        try devices[0].write(.edit) {
            _ = try $0.edit(id) {
                $0.text = "Oat milk"
                $0.notes = "2 liters"
                $0.category = "Shop"
            }
        }
        try await syncAll(devices)
        try devices[1].write(.edit) { _ = try $0.edit(id) { $0.notes = "3 liters" } }
        try await syncAll(devices)
        #expect(try undo(devices[0]) == 1)
        try await syncAll(devices)
        for device in devices {
            let task = try #require(try task(id, device))
            #expect(task.text == "Milk" && task.notes == "3 liters" && task.category == nil)
        }
        // So does redo.
        try devices[1].write(.edit) { _ = try $0.edit(id) { $0.category = "Home" } }
        try await syncAll(devices)
        #expect(
            try devices[0].change { transaction in
                _ = try transaction.tasks.redo()
                return transaction.keptByUndo
            } == 1)
        try await syncAll(devices)
        let task = try #require(try task(id, devices[1]))
        #expect(task.text == "Oat milk" && task.notes == "3 liters" && task.category == "Home")
    }

    @Test("The other tasks of an operation are undone although another device has changed one of them")
    func records() async throws {
        let devices = try await devices(2)
        let ids = try devices[0].write(.create) { tasks in try (0..<3).map { try tasks.create("Task \($0)").id } }
        try await syncAll(devices)
        let day = try Day("2026-02-20")
        try devices[0].write(.schedule) { tasks in for id in ids { _ = try tasks.schedule(id, on: .on(day)) } }
        try await syncAll(devices)
        try devices[1].write(.schedule) { _ = try $0.schedule(ids[1], on: .on(try Day("2026-02-21"))) }
        try await syncAll(devices)
        #expect(try undo(devices[0]) == 1)
        try await syncAll(devices)
        #expect(
            try ids.map { try task($0, devices[1])?.scheduledDate?.description } == [nil, "2026-02-21", nil])
    }

    @Test("A task that another device has changed since is not removed by undoing its creation")
    func creation() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk").id }
        try await syncAll(devices)
        try devices[1].write(.edit) { _ = try $0.edit(id) { $0.notes = "2 liters" } }
        try await syncAll(devices)
        #expect(throws: (any Error).self) { try undo(devices[0]) }
        #expect(try task(id, devices[0])?.notes == "2 liters")
        // What the person does next can be undone.
        try devices[0].write(.edit) { _ = try $0.edit(id) { $0.text = "Oat milk" } }
        #expect(try undo(devices[0]) == 0)
        #expect(try task(id, devices[0])?.text == "Milk")
    }

    @Test("A deletion that another device has made since is not taken back by undoing an edit")
    func deletion() async throws {
        let devices = try await devices(2)
        let (id, other) = try devices[0].write(.create) { (try $0.create("Milk").id, try $0.create("Bread").id) }
        try await syncAll(devices)
        try devices[0].write(.edit) { tasks in
            for id in [id, other] { _ = try tasks.edit(id) { $0.notes = "2" } }
        }
        try await syncAll(devices)
        try devices[1].write(.delete) { try $0.delete(id) }
        try await syncAll(devices)
        #expect(try undo(devices[0]) == 1)
        try await syncAll(devices)
        #expect(try task(id, devices[0]) == nil)
        #expect(try task(other, devices[0])?.notes == nil)
    }

    @Test("A deletion here is undone although another device has deleted another task of it again")
    func deletedTwice() async throws {
        let devices = try await devices(2)
        let ids = try devices[0].write(.create) { tasks in try (0..<2).map { try tasks.create("Task \($0)").id } }
        try await syncAll(devices)
        try devices[1].write(.delete) { _ = try $0.delete(ids[0]) }
        devices[0].clock.setWall(devices[0].clock.wall.advanced(byMicroseconds: -500_000))
        try devices[0].write(.delete) { tasks in for id in ids { _ = try tasks.delete(id) } }
        try await syncAll(devices)
        _ = try undo(devices[0])
        try await syncAll(devices)
        #expect(try task(ids[1], devices[1]) != nil)
        for device in devices { #expect(try task(ids[0], device) == nil) }
    }

    @Test("What another device has changed stays also when a later change of this device to it was taken back")
    func takenBackSince() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk").id }
        try devices[0].write(.changeState) { _ = try $0.setState(id, to: .active) }
        try await syncAll(devices)
        try devices[1].write(.changeState) { _ = try $0.setState(id, to: .completed) }
        try await syncAll(devices)
        try devices[0].write(.changeState) { _ = try $0.setState(id, to: .notStarted) }
        #expect(try undo(devices[0]) == 0)
        // Nothing of the change to active is left, and nothing of the creation.
        #expect(throws: TaskError.changedSince) { try undo(devices[0]) }
        try await syncAll(devices)
        for device in devices {
            let task = try #require(try task(id, device))
            #expect(task.state == .completed && task.completedAt != nil)
        }
    }

    @Test("A deletion is not done again where another device has changed the task since it came back")
    func deletedAgain() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk").id }
        try devices[0].write(.delete) { _ = try $0.delete(id) }
        #expect(try undo(devices[0]) == 0)
        try await syncAll(devices)
        try devices[1].write(.edit) { _ = try $0.edit(id) { $0.notes = "2 liters" } }
        try await syncAll(devices)
        #expect(throws: (any Error).self) { try devices[0].change { _ = try $0.tasks.redo() } }
        try await syncAll(devices)
        #expect(try task(id, devices[0])?.notes == "2 liters")
    }

    @Test("An edit is not undone where what this device did before it was restored has deleted the task")
    func deletedByAFormerLife() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk").id }
        try devices[0].write(.edit) { _ = try $0.edit(id) { $0.notes = "2 liters" } }
        try await syncAll(devices)
        let restored = try TestDevice(copying: devices[0])
        try devices[0].write(.delete) { _ = try $0.delete(id) }
        try await syncAll(devices)
        #expect(try await restored.sync(hub) == .settled)
        #expect(throws: (any Error).self) { try undo(restored) }
        #expect(try task(id, restored) == nil)
        try await syncAll([restored, devices[1]])
    }
}

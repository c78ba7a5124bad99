import CivilTime
import DeviceSimulation
import Foundation
import Records
import Testing

@testable import Sync
@testable import Tasks

/// What random simulations have found, each in as few steps as show it.
@Suite struct FoundByChanceTests: SyncSuite {
    let hub = TestHub()

    private func syncAll(_ devices: [TestDevice]) async throws {
        try await syncTwice(devices)
        for device in devices {
            #expect(try device.replica.status().digest == .same)
            #expect(try device.replica.status().fullPulls == 0)
        }
    }

    @Test func whatAnOlderVersionDoesNotKnowIsThereAfterAnUpgrade() async throws {
        let devices = [try await device(1), try await device(2, knowing: SyncSchema(without: [16]))]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        for isSticky in [true, false, true] {
            advance(devices, bySeconds: 1)
            try devices[0].write(.setSticky) { _ = try $0.setSticky(id, to: isSticky) }
            // What waits is replaced by what is newer.
            try await syncAll(devices)
        }
        try devices[1].reopen()
        try await syncAll(devices)
        #expect(try devices[1].content() == devices[0].content())
        #expect(try devices[1].store.read { try $0[TaskItem.self].get(id)?.isSticky } == true)
    }

    @Test func purgeRemovesWhatAnOlderVersionDoesNotKnow() async throws {
        let devices = [try await device(1), try await device(2, knowing: SyncSchema(without: [16]))]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try devices[0].write(.setSticky) { _ = try $0.setSticky(id, to: true) }
        try await syncAll(devices)
        #expect(try devices[1].store.read { try $0[DeferredUnit.self].count() } == 1)
        try devices[1].write(.purge) { try $0.purge(id) }
        #expect(try devices[1].store.read { try $0[DeferredUnit.self].count() } == 0)
        try await syncAll(devices)
    }

    @Test func changeThatSetsWhatIsThereIsNone() async throws {
        let devices = [try await device(1), try await device(2)]
        let rule = try RecurrenceRule(rrule: "FREQ=DAILY")
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try devices[0].write(.setRecurrence) { _ = try $0.repeat(id, by: rule) }
        try await syncAll(devices)
        advance(devices, bySeconds: 60)
        try devices[0].write(.setRecurrence) { _ = try $0.repeat(id, by: rule) }
        try await syncAll(devices)
        #expect(try devices[1].content() == devices[0].content())
    }

    @Test func editThatArrivesForADeletedTaskIsThereWhenItComesBack() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        advance(devices, bySeconds: 1)
        try devices[0].write(.edit) { _ = try $0.edit(id) { $0.text = "Oat milk" } }
        try devices[1].write(.edit) { _ = try $0.edit(id) { $0.notes = "2 liters" } }
        #expect(try await devices[1].sync(hub) == .settled)
        advance(devices, bySeconds: 1)
        try devices[0].write(.delete) { _ = try $0.delete(id) }
        // Only the deletion is sent, and the note comes in.
        hub.device.withLock { $0 = 1 }
        let round = try await devices[0].replica.prepare(unitLimit: 1)
        _ = try await devices[0].replica.finish(round, with: hub.sync(round.request))
        advance(devices, bySeconds: 1)
        try devices[1].write(.edit) { _ = try $0.edit(id) { $0.category = "Food" } }
        #expect(try await devices[1].sync(hub) == .settled)
        try await syncAll(devices)
        let task = try #require(try devices[0].store.read { try $0[TaskItem.self].get(id) })
        #expect(task.notes == "2 liters")
        #expect(try devices[1].content() == devices[0].content())
    }

    @Test func newIdentityDoesNotMakeAnOldEditNew() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        advance(devices, bySeconds: 1)
        try devices[0].write(.edit) { _ = try $0.edit(id) { $0.text = "Oat milk" } }
        hub.device.withLock { $0 = 1 }
        // The answer is lost.
        _ = try await hub.sync(devices[0].replica.prepare().request)
        advance(devices, bySeconds: 1)
        #expect(try await devices[1].sync(hub) == .settled)
        try devices[1].write(.edit) { _ = try $0.edit(id) { $0.text = "Soy milk" } }
        #expect(try await devices[1].sync(hub) == .settled)
        advance(devices, bySeconds: 1)
        try devices[0].write(.create) { _ = try $0.create("Bread") }
        try await devices[0].replica.adopt(device: 9)
        devices[0].number = 9
        try await syncAll(devices)
        for device in devices { #expect(try device.store.read { try $0[TaskItem.self].get(id)?.text } == "Soy milk") }
    }

    @Test func clockThatIsSetBackDoesNotLoseToItself() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        // Less than the hub tolerates.
        devices[0].clock.advance(byMicroseconds: 30_000_000)
        try devices[0].write(.edit) { _ = try $0.edit(id) { $0.text = "Oat milk" } }
        hub.device.withLock { $0 = 1 }
        // The answer is lost.
        _ = try await hub.sync(devices[0].replica.prepare().request)
        devices[0].clock.advance(byMicroseconds: 1_000_000)
        try devices[0].write(.edit) { _ = try $0.edit(id) { $0.text = "Soy milk" } }
        devices[0].clock.advance(byMicroseconds: 3_600_000_000)
        try devices[0].write(.create) { _ = try $0.create("Bread") }
        try await syncAll(devices)
        for device in devices { #expect(try device.store.read { try $0[TaskItem.self].get(id)?.text } == "Soy milk") }
    }

    @Test func emptiedHubAndADeletedTaskAgree() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[0].write(.delete) { _ = try $0.delete(id) }
        try await syncAll(devices)
        hub.empty()
        try await syncAll(devices)
        #expect(hub.units.count == 1)
    }

    @Test func taskThatComesBackAfterTheHubWasEmptiedNamesTheSameListEverywhere() async throws {
        let devices = [try await device(1), try await device(2), try await device(3)]
        let list = try devices[0].write(.createList) { try $0.createList("House") }.id
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        advance(devices)
        // The third device does not know of it.
        try devices[0].write(.move) { _ = try $0.move(id, toList: list) }
        try await syncAll(Array(devices[..<2]))
        advance(devices)
        try devices[0].write(.deleteList) { _ = try $0.deleteList(list) }
        try await syncAll(Array(devices[..<2]))
        advance(devices)
        try devices[2].write(.edit) { _ = try $0.edit(id) { $0.category = "Food" } }
        try devices[2].write(.editList) { _ = try $0.renameList(list, to: "Home") }
        hub.empty()
        try await syncTwice([devices[2]] + devices)
        for device in devices {
            #expect(try device.store.read { try $0[TaskItem.self].get(id) } != nil)
            #expect(try device.content() == devices[0].content())
        }
    }

    @Test func redoLeavesOutALinkToATaskThatAnotherDeviceHasDeleted() async throws {
        let devices = [try await device(1), try await device(2)]
        let ids = try devices[0].write(.create) { tasks in try (0..<2).map { try tasks.create("Task \($0)").id } }
        try devices[0].write(.edit) { _ = try $0.edit(ids[0]) { $0.notes = "first" } }
        try devices[0].write { _ = try $0.block(ids[0], by: ids[1]) }
        _ = try devices[0].change { try $0.tasks.undo() }
        try await syncAll(devices)
        advance(devices)
        try devices[1].write(.delete) { _ = try $0.delete(ids[1]) }
        try await syncAll(devices)
        let kept = try devices[0].change { transaction in
            _ = try transaction.tasks.redo()
            return transaction.keptByUndo
        }
        #expect(kept == 1)
        for operation in [TaskOperation.several, .edit] {
            #expect(try devices[0].change { try $0.tasks.undo() } == operation)
        }
        try await syncAll(devices)
        #expect(try devices[1].content() == devices[0].content())
    }

    @Test func tombstoneIsThereWhenALaterCompletionGivesWayToAnEarlierOne() async throws {
        let devices = [try await device(1), try await device(2), try await device(3)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        advance(devices, bySeconds: 1)
        try devices[1].write(.changeState) { _ = try $0.setState(id, to: .completed) }
        advance(devices, bySeconds: 1)
        try devices[0].write(.delete) { _ = try $0.delete(id) }
        #expect(try await devices[0].sync(hub) == .settled)
        advance(devices, bySeconds: 1)
        try devices[2].write(.changeState) { _ = try $0.setState(id, to: .completed) }
        for device in [devices[2], devices[0]] { #expect(try await device.sync(hub) == .settled) }
        // It was changed after its deletion.
        #expect(try devices[0].store.read { try $0[TaskItem.self].get(id) != nil })
        // Of two completions the first one stays, and that was made before the deletion.
        try await syncAll(devices)
        for device in devices {
            #expect(try device.store.read { try $0[Tombstone.self].get(id) != nil })
            #expect(try device.content() == devices[0].content())
        }
    }

    @Test func rolloverDoesNotDeleteATaskThatWasChangedAfterItsDeletion() async throws {
        let devices = [try await device(1), try await device(2)]
        let (today, later) = (try Day("2026-02-11"), try Day("2026-02-13"))
        let id = try devices[0].write(.create) { try $0.create(NewTask("Milk", on: later)) }.id
        try devices[0].write(.setAutoCarry) { _ = try $0.setAutoCarry(id, to: true) }
        try await syncAll(devices)
        advance(devices, bySeconds: 1)
        try devices[1].write(.delete) { _ = try $0.delete(id) }
        advance(devices, bySeconds: 1)
        try devices[0].write(.schedule) { _ = try $0.schedule(id, on: .on(today)) }
        try await syncAll(devices)
        let before = try devices[0].store.read { try $0[TaskItem.self].get(id) }
        advance(devices, bySeconds: 86_400)
        try devices[0].write(.rollover) { _ = try $0.rollOver() }
        let after = try devices[0].store.read { try $0[TaskItem.self].get(id) }
        #expect(after != nil && after != before)
        try await syncAll(devices)
        for device in devices { #expect(try device.store.read { try $0[TaskItem.self].get(id) } == after) }
    }

    /// A device that was restored has a record which it has not sent yet, and whose units come without the base.
    @Test func whatComesBeforeTheNameOfARecordIsKnownIsMerged() async throws {
        let devices = [try await device(1), try await device(2)]
        let list = try devices[0].write(.createList) { try $0.createList("Shop") }.id
        let restored = try TestDevice(copying: devices[0])
        try await syncAll(devices)
        advance(devices + [restored], bySeconds: 1)
        try devices[1].write(.deleteList) { _ = try $0.deleteList(list) }
        try await syncAll(devices)
        // It gets back that the list was deleted, and no more.
        hub.empty()
        try await syncAll(devices)
        restored.number = 9
        try await restored.replica.adopt(device: 9)
        try await syncAll(devices + [restored])
        #expect(try restored.content() == devices[0].content())
    }

    @Test func twoPurgesOfARecordWhoseNameIsNotKnownAreOne() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        let restored = try TestDevice(copying: devices[0])
        try await syncAll(devices)
        advance(devices + [restored], bySeconds: 1)
        try devices[1].write(.purge) { try $0.purge(id) }
        try await syncAll(devices)
        advance(devices + [restored], bySeconds: 1)
        try restored.write(.purge) { try $0.purge(id) }
        restored.number = 9
        try await restored.replica.adopt(device: 9)
        try await syncAll(devices + [restored])
        #expect(try restored.store.read { try $0[DeferredUnit.self].count() } == 0)
    }

    /// A copy has made a change at the very moment of the deletion that it gets. As another device it wins.
    @Test func changeThatWinsOverADeletionByItsNewDeviceIsThere() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        advance(devices, bySeconds: 1)
        let copy = try TestDevice(copying: devices[0])
        try copy.write(.edit) { _ = try $0.edit(id) { $0.text = "Oat milk" } }
        try devices[0].write(.delete) { _ = try $0.delete(id) }
        try await syncAll(devices)
        // It was held by its clock, and so has sent nothing.
        let content = try #require(try copy.replica.content())
        let round = Round(
            request: SyncRequest(epoch: content.epoch, pushNumber: 0, after: content.cursor, units: []), records: [])
        _ = try await copy.replica.finish(round, with: hub.sync(round.request))
        #expect(try copy.store.read { try $0[TaskItem.self].get(id) } == nil)
        copy.number = 9
        try await copy.replica.adopt(device: 9)
        #expect(try copy.store.read { try $0[TaskItem.self].get(id)?.text } == "Oat milk")
        try await syncAll(devices + [copy])
        for device in devices { #expect(try device.content() == copy.content()) }
    }
}

import CivilTime
import DeviceSimulation
import Foundation
import Records
import Testing

@testable import Sync
@testable import Tasks

/// Units that a device cannot merge yet are kept, come into the records when that is possible, and go back to a hub that has lost
/// them.
@Suite struct DeferredUnitTests: SyncSuite {
    let hub = TestHub()

    private func syncAll(_ devices: [TestDevice]) async throws {
        try await syncTwice(devices)
        for device in devices {
            #expect(try device.replica.status().digest == .same)
            #expect(try device.replica.status().pending == 0)
            #expect(try device.replica.status().fullPulls == 0)
        }
    }

    private func name(_ task: UUID, _ unit: UInt16) -> UnitName {
        UnitName(
            record: PlainSealing().name(ofRecord: task.keyArray, in: TaskItem.collection.number), unit: unit)
    }

    /// Takes a unit out of the hub, as if it had not arrived.
    private func take(_ task: UUID, _ unit: UInt16) throws -> NumberedUnit {
        let taken = try #require(hub.units[name(task, unit)])
        hub.change { $0.remove(taken.unit.name) }
        return taken
    }

    /// Lets a unit arrive at the hub after all others.
    private func deliver(_ unit: NumberedUnit) {
        hub.change { rows in
            rows.head += 1
            rows.put(NumberedUnit(unit.unit, sequence: rows.head, device: unit.device))
        }
    }

    /// Two tasks on a day, of which the second one is moved to another day and made the first there.
    private func moveAndReorder(on device: TestDevice) async throws -> UUID {
        let day = try Day("2026-02-12")
        let ids = try device.write(.several) { tasks in
            [try tasks.create("Milk", on: day).id, try tasks.create("Bread").id]
        }
        try device.write(.schedule) { _ = try $0.schedule(ids[1], on: .on(day)) }
        try device.write(.reorder) { _ = try $0.reorder(ids[1], to: .first) }
        #expect(try await device.sync(hub) == .settled)
        return ids[1]
    }

    // MARK: A hub that has lost them

    @Test("An emptied hub gets back what only an older version has, which does not know it")
    func unitOfANewerVersion() async throws {
        let devices = [try await device(1), try await device(2, knowing: SyncSchema(without: [16]))]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try devices[0].write(.setSticky) { _ = try $0.setSticky(id, to: true) }
        try await syncAll(devices)
        // The device that has made it is gone.
        hub.empty()
        try await syncAll([devices[1]])
        let third = try await device(3)
        try await syncAll([devices[1], third])
        #expect(try third.store.read { try $0[TaskItem.self].get(id)?.isSticky } == true)
        // What was sent once is not sent again.
        #expect(try await devices[1].replica.prepare().request.units == [])
    }

    @Test("A unit that waits is to be sent until the hub has acknowledged it, also by an upgraded program")
    func upgradeBeforeItIsSent() async throws {
        let devices = [try await device(1), try await device(2, knowing: SyncSchema(without: [16]))]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try devices[0].write(.setSticky) { _ = try $0.setSticky(id, to: true) }
        try await syncAll(devices)
        hub.empty()
        hub.device.withLock { $0 = 2 }
        let round = try await devices[1].replica.prepare()
        let refusal = await #expect(throws: SyncRefusal.self) { try await hub.sync(round.request) }
        _ = try await devices[1].replica.react(to: #require(refusal), of: round)
        #expect(try devices[1].replica.status().pending == 2)
        try devices[1].reopen()
        // The answer to the first push is lost.
        _ = try await hub.sync(devices[1].replica.prepare(unitLimit: 1).request)
        #expect(try devices[1].replica.status().pending == 2)
        let third = try await device(3)
        try await syncAll([devices[1], third])
        #expect(try third.content() == devices[1].content())
        #expect(try third.store.read { try $0[TaskItem.self].get(id)?.isSticky } == true)
    }

    @Test("An emptied hub gets back the units of a record whose base has not come yet")
    func unitWithoutItsBase() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try devices[0].write(.edit) { _ = try $0.edit(id) { $0.notes = "2 liters" } }
        #expect(try await devices[0].sync(hub) == .settled)
        let base = try take(id, SyncUnit.base)
        #expect(try await devices[1].sync(hub) == .settled)
        hub.empty()
        try await syncAll([devices[1]])
        deliver(base)
        let third = try await device(3)
        try await syncAll([devices[1], third])
        for device in [devices[1], third] { #expect(try device.content() == devices[0].content()) }
    }

    @Test("An emptied hub gets back what a device cannot open, as it was sealed")
    func sealedUnit() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        #expect(try await devices[0].sync(hub) == .settled)
        let sealed = try #require(hub.units[name(id, SyncUnit.base)]?.unit)
        hub.device.withLock { $0 = 2 }
        let locked = SyncReplica(of: devices[1].store, TestDevice.schema, sealing: LockedSealing())
        #expect(try await SyncLoop(locked, over: hub).run() == .settled)
        hub.empty()
        #expect(try await SyncLoop(locked, over: hub).run() == .settled)
        #expect(hub.units[name(id, SyncUnit.base)]?.unit == sealed)
        // It is opened, and still known to the hub.
        try await devices[1].replica.adopt(PlainSealing())
        try await syncAll([devices[1]])
        #expect(try devices[1].content() == devices[0].content())
    }

    @Test("What is opened before an emptied hub has got it back is sent")
    func openedBeforeItIsSent() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        #expect(try await devices[0].sync(hub) == .settled)
        hub.device.withLock { $0 = 2 }
        let locked = SyncReplica(of: devices[1].store, TestDevice.schema, sealing: LockedSealing())
        #expect(try await SyncLoop(locked, over: hub).run() == .settled)
        hub.empty()
        let round = try await locked.prepare()
        let refusal = await #expect(throws: SyncRefusal.self) { try await hub.sync(round.request) }
        _ = try await locked.react(to: #require(refusal), of: round)
        try await devices[1].replica.adopt(PlainSealing())
        try await syncAll([devices[1]])
        #expect(hub.units[name(id, SyncUnit.base)] != nil)
    }

    @Test("An emptied hub gets back a place that waits for its group, and not the place that the record has meanwhile")
    func placeWithoutItsGroup() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try await moveAndReorder(on: devices[0])
        let schedule = try take(id, 8)
        #expect(try await devices[1].sync(hub) == .settled)
        hub.empty()
        try await syncAll([devices[1]])
        deliver(schedule)
        let third = try await device(3)
        try await syncAll([devices[1], third])
        for device in [devices[1], third] { #expect(try device.content() == devices[0].content()) }
    }

    @Test("What waits and is ahead of a hub's clock is tried again later, and not at once and forever")
    func clockOfTheHub() async throws {
        let devices = [try await device(1), try await device(2, knowing: SyncSchema(without: [16]))]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try devices[0].write(.setSticky) { _ = try $0.setSticky(id, to: true) }
        try await syncAll(devices)
        hub.empty()
        let now = hub.state.withLock { state in
            state.now -= 3_600_000_000
            return state.now
        }
        #expect(try await devices[1].sync(hub) == .failed(.clockAhead(time: now)))
        #expect(hub.state.withLock { $0.requests } < 20)
        hub.state.withLock { $0.now += 3_600_000_000 }
        try await syncAll([devices[1]])
        #expect(hub.units[name(id, 16)] != nil)
    }

    // MARK: What they wait for

    @Test("A unit that an older version does not know stays when the base of its record comes")
    func newerUnitBeforeTheBase() async throws {
        let devices = [try await device(1), try await device(2, knowing: SyncSchema(without: [16]))]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try devices[0].write(.setSticky) { _ = try $0.setSticky(id, to: true) }
        #expect(try await devices[0].sync(hub) == .settled)
        let base = try take(id, SyncUnit.base)
        #expect(try await devices[1].sync(hub) == .settled)
        deliver(base)
        try await syncAll(devices)
        try devices[1].reopen()
        try await syncAll(devices)
        #expect(try devices[1].content() == devices[0].content())
    }

    @Test("A place that an older version does not know is there after an upgrade, also if its group comes later")
    func newerPlaceBeforeItsGroup() async throws {
        let devices = [try await device(1), try await device(2, knowing: SyncSchema(without: [9]))]
        let id = try await moveAndReorder(on: devices[0])
        let schedule = try take(id, 8)
        #expect(try await devices[1].sync(hub) == .settled)
        try devices[1].reopen()
        #expect(try await devices[1].sync(hub) == .settled)
        deliver(schedule)
        try await syncAll(devices)
        #expect(try devices[1].content() == devices[0].content())
    }

    @Test("An edit that loses against one that cannot be opened yet is not sent forever")
    func editThatLosesAgainstASealedOne() async throws {
        let devices = [try await device(1), try await device(2)]
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[1].write(.edit) { _ = try $0.edit(id) { $0.text = "Oat milk" } }
        devices[0].clock.advance(byMicroseconds: 1_000_000)
        try devices[0].write(.edit) { _ = try $0.edit(id) { $0.text = "Soy milk" } }
        #expect(try await devices[0].sync(hub) == .settled)
        hub.device.withLock { $0 = 2 }
        let locked = SyncReplica(of: devices[1].store, TestDevice.schema, sealing: LockedSealing())
        #expect(try await SyncLoop(locked, over: hub).run() == .settled)
        #expect(try devices[1].replica.status().pending == 0)
        #expect(try devices[1].replica.status().digest == .same)
        try await devices[1].replica.adopt(PlainSealing())
        try await syncAll(devices)
        #expect(try devices[1].content() == devices[0].content())
    }
}

import CivilTime
import Foundation
import Injection
import Records
import Testing

@testable import DeviceSimulation
@testable import Sync
@testable import Tasks

/// One test for each way in which other systems have lost data, as sync.md and the issue list them.
@Suite struct LossTests: SyncSuite {
    let hub = TestHub()

    private func syncAll(_ devices: [TestDevice]) async throws {
        try await syncTwice(devices)
        for device in devices { #expect(try device.content() == devices[0].content()) }
    }

    private func task(_ id: UUID, on device: TestDevice) throws -> TaskItem? {
        try device.store.read { try $0[TaskItem.self].get(id) }
    }

    @Test("A store whose program ends while it joins sends everything that was in it afterwards")
    func deathWhileJoining() async throws {
        let other = try await devices(1)[0]
        let joining = try TestDevice(7, at: start)
        let id = try joining.write(.create) { try $0.create("From before") }.id
        try await joining.replica.startBeginning(space: TestDevice.space, device: 7)
        try joining.reopen()
        #expect(try await joining.sync(hub) == .settled)
        #expect(try await other.sync(hub) == .settled)
        #expect(try task(id, on: other)?.text == "From before")
    }

    @Test("What came before its key is merged by the next round, though the program ended when it had stored the key")
    func deathBeforeKeysAreUsed() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Sealed") }.id
        #expect(try await devices[0].sync(hub) == .settled)
        hub.device.withLock { $0 = 2 }
        let locked = SyncReplica(of: devices[1].store, TestDevice.schema, sealing: LockedSealing())
        #expect(try await SyncLoop(locked, over: hub).run() == .settled)
        #expect(try task(id, on: devices[1]) == nil)
        try devices[1].reopen()
        #expect(try await devices[1].sync(hub) == .settled)
        #expect(try task(id, on: devices[1])?.text == "Sealed")
    }

    @Test("A hub whose clock was set back is tried again later, and not at once and forever")
    func hubClockThatWasSetBack() async throws {
        let device = try await devices(1)[0]
        let id = try device.write(.create) { try $0.create("Milk") }.id
        #expect(try await device.sync(hub) == .settled)
        let now = hub.state.withLock { state in
            state.now -= 3_600_000_000
            return state.now
        }
        try device.write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        #expect(try await device.sync(hub) == .failed(.clockAhead(time: now)))
        #expect(hub.state.withLock { $0.requests } < 10)
        hub.state.withLock { $0.now += 3_600_000_000 }
        #expect(try await device.sync(hub) == .settled)
    }

    @Test func renameAndCompletionBothSurvive() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[0].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        try devices[1].write(.changeState) { try $0.setState(id, to: .completed) }
        try await syncAll(devices)
        let merged = try #require(try task(id, on: devices[0]))
        #expect(merged.text == "Oat milk")
        #expect(merged.isCompleted)
    }

    /// The negative control of units: the records are the same everywhere, and an edit is gone.
    @Test func stampsOfWholeRecordsLoseAnEdit() async throws {
        let devices = try await devices(2, breaking: .stampsWholeRecords)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[0].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        devices[1].clock.advance(byMicroseconds: 1_000_000)
        try devices[1].write(.edit) { try $0.edit(id) { $0.notes = "2 liters" } }
        try await syncAll(devices)
        #expect(try task(id, on: devices[0])?.text == "Milk")
    }

    /// L-SY2.
    @Test func olderCompletionStaysAgainstNewerEdit() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[1].write(.changeState) { try $0.setState(id, to: .completed) }
        devices[0].clock.advance(byMicroseconds: 60_000_000)
        try devices[0].write(.changeState) { try $0.setState(id, to: .active) }
        try await syncAll(devices)
        #expect(try task(id, on: devices[0])?.isCompleted == true)
        // reopening is a decision, and travels.
        try devices[0].write(.changeState) { try $0.setState(id, to: .notStarted) }
        try await syncAll(devices)
        #expect(try task(id, on: devices[1])?.state == .notStarted)
    }

    @Test func undoneCompletionIsUndoneEverywhere() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try devices[0].write(.changeState) { try $0.setState(id, to: .completed) }
        try await syncAll(devices)
        try devices[0].change { _ = try $0.undo() }
        try await syncAll(devices)
        #expect(try task(id, on: devices[1])?.state == .notStarted)
    }

    @Test func deletionIsSentAlthoughNothingElseChanged() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[1].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        devices[0].clock.advance(byMicroseconds: 60_000_000)
        hub.state.withLock { $0.now += 60_000_000 }
        try devices[0].write(.delete) { try $0.delete(id) }
        try await syncAll(devices)
        #expect(try task(id, on: devices[0]) == nil)
        #expect(try task(id, on: devices[1]) == nil)
        #expect(try devices[1].store.read { try $0[Tombstone.self].get(id) } != nil)
    }

    /// L-SY3: an edit that is newer than the deletion brings the task back, with all that it was.
    @Test func newerEditBringsADeletedTaskBack() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) {
            var new = NewTask("Milk")
            new.notes = "2 liters"
            return try $0.create(new)
        }.id
        try await syncAll(devices)
        try devices[0].write(.delete) { try $0.delete(id) }
        devices[1].clock.advance(byMicroseconds: 60_000_000)
        hub.state.withLock { $0.now += 60_000_000 }
        try devices[1].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        try await syncAll(devices)
        let back = try #require(try task(id, on: devices[0]))
        #expect(back.text == "Oat milk")
        #expect(back.notes == "2 liters")
        #expect(try devices[0].store.read { try $0[Tombstone.self].get(id) } == nil)
    }

    /// L-SY3: what was put into a list while another device deleted it is in no list, and back in it when the list is.
    @Test func taskOfAListThatIsDeletedElsewhereIsNotLost() async throws {
        let devices = try await devices(2)
        let list = try devices[0].write(.createList) { try $0.createList("Home") }.id
        try await syncAll(devices)
        try devices[0].write(.deleteList) { _ = try $0.deleteList(list) }
        let id = try devices[1].write(.create) {
            var new = NewTask("Milk")
            new.list = list
            return try $0.create(new)
        }.id
        try await syncAll(devices)
        for device in devices {
            #expect(try task(id, on: device)?.listID == nil)
            #expect(try device.store.read { try $0[CustomList.self].get(list) } == nil)
        }
        try devices[0].change { _ = try $0.undo() }
        try await syncAll(devices)
        for device in devices { #expect(try task(id, on: device)?.listID == list) }
    }

    @Test func changeIsPendingFromTheCommitOn() async throws {
        let device = try await devices(1)[0]
        try await syncAll([device])
        try device.write(.create) { try $0.create("Milk") }
        try device.reopen()
        #expect(try device.replica.status().pending == 1)
    }

    /// What another device has put into a list that is gone again here, because its creation was undone, is in no list.
    @Test func taskInAListWhoseCreationIsUndoneIsInNone() async throws {
        let devices = try await devices(2)
        let list = try devices[0].write(.createList) { try $0.createList("Home") }.id
        try await syncAll(devices)
        let id = try devices[1].write(.create) {
            var new = NewTask("Milk")
            new.list = list
            return try $0.create(new)
        }.id
        try await syncAll(devices)
        try devices[0].change { _ = try $0.undo() }
        #expect(try task(id, on: devices[0])?.listID == nil)
        try await syncAll(devices)
        try devices[0].change { _ = try $0.redo() }
        try await syncAll(devices)
        for device in devices { #expect(try task(id, on: device)?.listID == list) }
    }

    @Test func refusalsAndLostAnswersDropNothing() async throws {
        let devices = try await devices(2)
        try await syncAll(devices)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        for refusal: SyncRefusal in [.unavailable, .busy(retryAfter: 3), .full] {
            let round = try await devices[0].replica.prepare()
            #expect(try await devices[0].replica.react(to: refusal, of: round) == .wait)
            #expect(try devices[0].replica.status().pending == 1)
            #expect(try devices[0].replica.status().lastError == refusal.code)
        }
        hub.device.withLock { $0 = 1 }
        _ = try await hub.sync(devices[0].replica.prepare().request)
        #expect(try devices[0].replica.status().pending == 1, "the answer was lost")
        try await syncAll(devices)
        #expect(try task(id, on: devices[1]) != nil)
    }

    @Test func taskThatArrivesBeforeItsListIsInItAfterwards() async throws {
        let devices = try await devices(2)
        let small = TestHub(unitLimit: 1)
        small.state.withLock { [start] in $0.now = start.microsecondsSince1970 }
        let list = try devices[0].write(.createList) { try $0.createList("Home") }.id
        let id = try devices[0].write(.create) {
            var new = NewTask("Milk")
            new.list = list
            return try $0.create(new)
        }.id
        #expect(try await devices[0].sync(small) == .settled)
        // The hub numbers the list's base anew, so that it comes last.
        let first = try #require(small.units.values.first { $0.sequence == 1 })
        small.change { rows in
            rows.head += 1
            rows.put(NumberedUnit(first.unit, sequence: rows.head, device: first.device))
        }
        #expect(try await devices[1].sync(small) == .settled)
        #expect(try task(id, on: devices[1])?.listID == list)
    }

    @Test func equalTimesAreDecidedByTheDeviceEverywhere() async throws {
        let devices = try await devices(3)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        for device in devices {
            device.clock.setWall(start.advanced(byMicroseconds: 5_000_000))
            try device.write(.edit) { try $0.edit(id) { $0.text = "Milk \(device.number)" } }
        }
        hub.state.withLock { $0.now += 5_000_000 }
        try await syncAll(devices.reversed())
        #expect(try task(id, on: devices[0])?.text == "Milk 3")
        #expect(try devices[0].replica.conflicts().map(\.value) == ["Milk 1"])
    }

    /// Of two times of creation the earlier one is kept everywhere, also by the device that makes the record anew.
    @Test func recordThatIsMadeAnewKeepsItsTimeOfCreation() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        for device in devices { device.clock.advance(byMicroseconds: 60_000_000) }
        hub.state.withLock { $0.now += 60_000_000 }
        try devices[1].write(.delete) { try $0.delete(id) }
        try devices[1].write(.create) { _ = try $0.create(NewTask("Milk again", id: id)) }
        for device in devices { #expect(try await device.sync(hub) == .settled) }
        for device in devices { #expect(try await device.sync(hub) == .settled) }
        #expect(try devices.map { try task(id, on: $0)?.createdAt } == [start, start])
    }

    @Test func purgeLeavesNothingOfATaskOnAnyDevice() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Secret 1") }.id
        try await syncAll(devices)
        for device in devices {
            try device.write(.edit) { try $0.edit(id) { $0.text = "Secret \(device.number + 1)" } }
        }
        try await syncAll(devices)
        #expect(try devices.contains { try !$0.replica.conflicts().isEmpty })
        try devices[0].write(.purge) { try $0.purge(id) }
        try await syncAll(devices)
        for device in devices {
            #expect(try device.replica.conflicts().isEmpty)
            try await device.store.compact()
            let file = try Data(contentsOf: URL(fileURLWithPath: device.folder.path + "/store/data.mdb"))
            #expect(file.range(of: Data("Secret".utf8)) == nil)
        }
        #expect(hub.units.count == 1)
    }

    @Test func changeThatIsMadeWhileItsPushIsOnTheWayStaysPending() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[0].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        hub.device.withLock { $0 = 1 }
        let round = try await devices[0].replica.prepare()
        try devices[0].write(.edit) { try $0.edit(id) { $0.text = "Soy milk" } }
        #expect(try await devices[0].replica.finish(round, with: hub.sync(round.request)) == .more)
        #expect(try devices[0].replica.status().pending == 1)
        try await syncAll(devices)
        #expect(try task(id, on: devices[1])?.text == "Soy milk")
    }

    @Test(arguments: [Int64(400), -400])
    func clockThatIsFarOffBlocksNeitherWritesNorSyncForEver(days: Int64) async throws {
        let devices = try await devices(2)
        let wrong = start.advanced(byMicroseconds: days * 86_400_000_000)
        devices[0].clock.setWall(wrong)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        // What others have comes in; nothing is sent by this clock, and the status says why.
        #expect(try await devices[0].sync(hub) == .held)
        #expect(try devices[0].replica.status().held == "clock")
        #expect(hub.units.isEmpty)
        devices[0].clock.setWall(start)
        try await syncAll(devices)
        #expect(try task(id, on: devices[1])?.text == "Milk")
        let latest = hub.state.withLock { $0.seen.compactMap { MergeKey($0.key)?.stamp.milliseconds }.max() ?? 0 }
        #expect(latest * 1000 <= start.microsecondsSince1970 + SyncProtocol.clockTolerance)
    }

    @Test func emptiedHubGetsEverythingBackAndDeletesNothing() async throws {
        let devices = try await devices(2)
        for number in 0..<20 { try devices[number % 2].write(.create) { try $0.create("Task \(number)") } }
        try await syncAll(devices)
        hub.empty()
        try await syncAll(devices)
        #expect(try devices[0].content().count == 20)
        #expect(hub.units.count == 20)
    }

    @Test func unknownSpaceStopsAndKeepsEverything() async throws {
        let device = try await devices(1)[0]
        try device.write(.create) { try $0.create("Milk") }
        let round = try await device.replica.prepare()
        #expect(try await device.replica.react(to: .unknownSpace, of: round) == .stop)
        #expect(try device.replica.status().held == "unknownSpace")
        #expect(try device.content().count == 1)
    }

    @Test func deviceThatWasOfflineFor400DaysBringsNothingBack() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[0].write(.delete) { try $0.delete(id) }
        #expect(try await devices[0].sync(hub) == .settled)
        for device in devices { device.clock.advance(byMicroseconds: 400 * 86_400_000_000) }
        hub.state.withLock { $0.now += 400 * 86_400_000_000 }
        try devices[1].write(.create) { try $0.create("Bread") }
        try await syncAll(devices)
        #expect(try task(id, on: devices[1]) == nil)
    }

    @Test func digestIsComputedAndNotAdopted() async throws {
        let devices = try await devices(2)
        try devices[0].write(.create) { try $0.create("Milk") }
        try await syncAll(devices)
        // The hub loses a unit and says nothing.
        hub.change { $0.removeAll() }
        try devices[1].write(.create) { try $0.create("Bread") }
        try await syncAll(devices)
        #expect(try devices.contains { try $0.replica.status().fullPulls > 0 })
        #expect(hub.units.count == 2, "what the hub had lost was sent again")
    }

    @Test func copiedStoreIsRecognizedAndBecomesAnotherDevice() async throws {
        let original = try await devices(1)[0]
        try original.write(.create) { try $0.create("Milk") }
        try await syncAll([original])
        let copy = try TestDevice(copying: original)
        try original.write(.create) { try $0.create("Bread") }
        try await syncAll([original])
        try copy.write(.create) { try $0.create("Butter") }
        #expect(try await copy.sync(hub) == .held)
        #expect(try copy.replica.status().held == "forked")
        try await copy.replica.adopt(device: 77)
        copy.number = 77
        try await syncAll([original, copy])
        #expect(try original.content().count == 3)
    }

    @Test func deviceThatHasItsNumberAlreadyKeepsThePushesOfIt() async throws {
        let device = try await devices(1)[0]
        try device.write(.create) { try $0.create("Milk") }
        try await syncAll([device])
        try await device.replica.adopt(device: device.number)
        try device.write(.create) { try $0.create("Bread") }
        #expect(try await device.sync(hub) == .settled, "no number of a push is used twice")
        #expect(try await device.replica.prepare().request.units.isEmpty)
    }

    @Test func recordsThatWereThereBeforeAreSentAlthoughTheBeginningWasInterrupted() async throws {
        let devices = try await devices(1) + [TestDevice(2, at: start)]
        let texts = ["Milk", "Bread", "Butter"]
        let ids = try devices[1].write(.create) { tasks in try texts.map { try tasks.create($0).id } }
        // The program was killed after the first transaction, and a person has changed a task since.
        try devices[1].change { transaction in
            let steps = SyncSteps(
                collections: TestDevice.schema.collections, sealing: PlainSealing(), transaction: transaction)
            try steps.begin(space: TestDevice.space, device: 2)
        }
        try devices[1].write(.edit) { try $0.edit(ids[1]) { $0.notes = "Rye" } }
        try devices[1].reopen()
        try await syncAll(devices)
        for (id, text) in zip(ids, texts) { #expect(try task(id, on: devices[0])?.text == text) }
        #expect(try task(ids[1], on: devices[0])?.notes == "Rye")
    }

    @Test func ownDeletionThatComesBackBeforeItIsAcknowledgedCountsOnce() async throws {
        let devices = [try TestDevice(1, at: start), try TestDevice(2, at: start)]
        // All that is left of them is that they were deleted.
        for number in 0..<2 {
            let id = try devices[0].write(.create) { try $0.create("Task \(number)") }.id
            try devices[0].write(.delete) { try $0.delete(id) }
        }
        for device in devices { try await device.begin() }
        hub.state.withLock { [start] in $0.now = start.microsecondsSince1970 }
        hub.device.withLock { $0 = 1 }
        let first = try await devices[0].replica.prepare()
        try await devices[0].replica.finish(first, with: hub.sync(first.request))
        _ = try await hub.sync(devices[0].replica.prepare(unitLimit: 2).request)
        let smaller = try await devices[0].replica.prepare(unitLimit: 1)
        try await devices[0].replica.finish(smaller, with: hub.sync(smaller.request))
        for device in devices {
            #expect(try await device.sync(hub) == .settled)
            #expect(try device.replica.status().fullPulls == 0)
        }
    }

    @Test func secondProcessOfADeviceIsNoCopyOfIt() async throws {
        let device = try await devices(1)[0]
        try await syncAll([device])
        try device.write(.create) { try $0.create("Milk") }
        hub.device.withLock { $0 = 1 }
        let slow = try await device.replica.prepare()
        try device.write(.create) { try $0.create("Bread") }
        let quick = try await device.replica.prepare()
        try await device.replica.finish(quick, with: hub.sync(quick.request))
        let refusal = await #expect(throws: SyncRefusal.forked) { _ = try await hub.sync(slow.request) }
        #expect(try await device.replica.react(to: #require(refusal), of: slow) == .retry(unitLimit: 512))
        #expect(try await device.sync(hub) == .settled)
        #expect(hub.units.count == 2)
    }

    @Test func forgedUnitsAreNotApplied() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[0].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        #expect(try await devices[0].sync(hub) == .settled)
        hub.change { rows in
            for (name, numbered) in rows.units where name.unit == 2 {
                // The hub moves a text to a later time.
                var forged = numbered
                forged.unit.key = MergeKey.latest(Stamp(time: .max >> 2, device: 1)).bytes
                rows.units[name] = forged
            }
        }
        _ = try await devices[1].sync(hub)
        #expect(try task(id, on: devices[1])?.text == "Milk")
    }

    @Test func unitThatTheHubCannotReadIsParkedAndTheOthersGoOn() async throws {
        let devices = try await devices(2)
        for number in 0..<9 { try devices[0].write(.create) { try $0.create("Task \(number)") } }
        let poisoned = try devices[0].write(.create) { try $0.create("Poison") }.id
        let name = PlainSealing().name(ofRecord: poisoned.keyArray, in: TaskItem.collection.number)
        let picky = PickyTransport(hub: hub, refused: name)
        hub.device.withLock { $0 = 1 }
        _ = try await SyncLoop(devices[0].replica, over: picky).run()
        #expect(hub.units.count == 9)
        #expect(picky.requests.withLock { $0 } < 20)
        #expect(try devices[0].replica.status().parked == 1)
        #expect(try devices[0].replica.status().pending == 0)
        // A change of it is tried again.
        try devices[0].write(.edit) { try $0.edit(poisoned) { $0.text = "Remedy" } }
        #expect(try devices[0].replica.status().pending > 0)
    }

    @Test func changesOfAProgramWithoutSyncAreStampedLater() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        let gone = try devices[0].write(.create) { try $0.create("Bread") }.id
        try await syncAll(devices)
        let made = try devices[0].withoutSync { store in
            try store.write { transaction in
                _ = try transaction.tasks.edit(id) { $0.text = "Oat milk" }
                _ = try transaction.tasks.delete(gone)
                return try transaction.tasks.create("Butter").id
            }
        }
        try await syncAll(devices)
        #expect(try task(id, on: devices[1])?.text == "Oat milk")
        #expect(try task(gone, on: devices[1]) == nil)
        #expect(try task(made, on: devices[1])?.text == "Butter")
    }

    /// Only what such a program has changed is stamped: another device's change of the same task survives.
    @Test func changesOfAProgramWithoutSyncLeaveOtherUnitsAlone() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk", on: Day("2026-02-11")) }.id
        let other = try devices[0].write(.create) { try $0.create("Bread", on: Day("2026-02-11")) }.id
        try await syncAll(devices)
        try devices[1].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        try await devices[1].sync(hub)
        devices[0].clock.advance(byMicroseconds: 60_000_000)
        try devices[0].withoutSync { store in
            try store.write { transaction in
                _ = try transaction.tasks.setState(id, to: .completed)
                // A position is not a change of the task that its time of change tells of.
                _ = try transaction.tasks.reorder(other, to: .first)
            }
        }
        try await syncAll(devices)
        #expect(try task(id, on: devices[0])?.text == "Oat milk")
        #expect(try task(id, on: devices[1])?.state == .completed)
        #expect(try task(other, on: devices[1])?.position == task(other, on: devices[0])?.position)
    }

    /// A handle that was opened before the store joined its space stamps nothing, as a former program does.
    @Test("A change that a program without sync makes during a round trip survives the answer [L-FR29, L-FR32]")
    func unstampedChangeDuringRound() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[1].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        try await devices[1].sync(hub)
        hub.device.withLock { $0 = 1 }
        let round = try await devices[0].replica.prepare()
        let answer = try await hub.sync(round.request)
        for device in devices { device.clock.advance(byMicroseconds: 1_000_000) }
        try devices[0].withoutSync { store in
            try store.write { _ = try $0.tasks.edit(id) { $0.text = "Soy milk" } }
        }
        _ = try await devices[0].replica.finish(round, with: answer)
        try await syncAll(devices)
        for device in devices { #expect(try task(id, on: device)?.text == "Soy milk") }
    }

    @Test("A change of a program without sync survives the merge of units whose key came later [L-FR29, L-FR32]")
    func unstampedChangeBeforeKey() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[1].write(.edit) { try $0.edit(id) { $0.text = "Oat milk" } }
        try await devices[1].sync(hub)
        try await devices[0].replica.adopt(LockedSealing())
        try await devices[0].sync(hub)
        for device in devices { device.clock.advance(byMicroseconds: 1_000_000) }
        try devices[0].withoutSync { store in
            try store.write { _ = try $0.tasks.edit(id) { $0.text = "Soy milk" } }
        }
        try await devices[0].replica.adopt(PlainSealing())
        try await syncAll(devices)
        for device in devices { #expect(try task(id, on: device)?.text == "Soy milk") }
    }

    @Test func changesOfAProgramWithoutSyncAreFoundAfterTheLogIsTrimmed() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        devices[0].clock.advance(byMicroseconds: 60_000_000)
        try devices[0].withoutSync(breaking: .trimsLogTooEarly) { store in
            try store.write { _ = try $0.tasks.edit(id) { $0.text = "Oat milk" } }
            try store.write { _ = try $0.tasks.create("Butter") }
        }
        try await syncAll(devices)
        #expect(try task(id, on: devices[1])?.text == "Oat milk")
    }

    @Test func recordThatDamageTookComesBackFromTheHub() async throws {
        let devices = try await devices(2)
        let id = try devices[0].write(.create) { try $0.create("Milk") }.id
        try await syncAll(devices)
        try devices[0].change { transaction in
            // As a rebuild does with a damaged record.
            transaction.markFollowed(id.keyArray, in: TaskItem.collection.number)
            try transaction.removeStored(key: id.keyArray, in: TaskItem.collection.number)
            let table = StampTable(collection: .tasks)
            let old = try table.load(id.keyArray, in: transaction)
            var stamps = try #require(old)
            stamps.isLost = true
            try table.save(stamps, of: id.keyArray, replacing: old, in: transaction)
        }
        try await syncAll(devices)
        #expect(try task(id, on: devices[0])?.text == "Milk")
    }

    @Test("A hub that says it has something newer and does not give it is asked again later, not at once")
    func contradiction() async throws {
        let device = try await devices(1)[0]
        #expect(try await device.sync(hub) == .settled)
        let id = try device.write(.create) { try $0.create("Milk") }.id
        let forging = ForgingTransport(hub: hub)
        #expect(try await device.sync(forging, model: hub) == .failed(.malformed))
        #expect(forging.requests.withLock { $0 } == 1)
        let status = try device.replica.status()
        #expect(status.lastError == "contradiction" && status.failures == 1 && status.pending == 1)
        // Nothing is lost.
        #expect(try await device.sync(hub) == .settled)
        #expect(try device.replica.status().lastError == nil)
        #expect(try task(id, on: device)?.text == "Milk")
        #expect(hub.units.count == 1)
    }

    @Test("A store on a full disk becomes a device by itself when there is room, and not partly before")
    func fullDiskAndANewDevice() async throws {
        let device = try SimulatedDevice(place: 0, at: start, seed: 1)
        try await device.replica.begin(space: SimulatedDevice.space, device: 1)
        try device.change(.create) { change in for _ in 0..<1000 { _ = try change.tasks.create("Milk") } }
        try device.setFull(true)
        while (try? device.change(.create) { _ = try $0.tasks.create("Milk") }) != nil {}
        let before = try device.replica.heldUnits().map(\.key)
        await #expect(throws: RecordsError.self) { try await device.replica.adopt(device: 9) }
        #expect(try device.replica.status().device == 1)
        #expect(Set(try device.replica.heldUnits().map(\.key)) == Set(before))
        try device.setFull(false)
        try await device.replica.adopt(device: 9)
        #expect(try device.replica.status().device == 9)
        let stamps = try device.replica.heldUnits().compactMap { MergeKey($0.key)?.stamp }
        #expect(stamps.count == before.count && stamps.allSatisfy { $0.device == 9 })
    }
}

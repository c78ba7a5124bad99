import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Journals
@testable import Records
@testable import Sync
@testable import Tasks

/// Journals take part where a person has switched them on, and links between tasks always: J-MT6, L-SY1.
@Suite struct JournalSyncTests: SyncSuite {
    let hub = TestHub()

    private func devices(_ count: Int, journals: Bool = true) async throws -> [TestDevice] {
        let devices = try await devices(count, breaking: nil)
        if journals { try await devices[0].replica.switchOnJournals() }
        return devices
    }

    /// Syncs everything, and expects the same records everywhere without any repair.
    private func syncAll(_ devices: [TestDevice]) async throws {
        try await syncTwice(devices)
        let first = try devices[0].content()
        for device in devices {
            let content = try device.content()
            for name in Set(first.keys).union(content.keys).sorted() where content[name] != first[name] {
                Issue.record("\(name): \(content[name] ?? []) and \(first[name] ?? [])")
            }
            let status = try device.replica.status()
            #expect(status.pending == 0 && status.digest == .same && status.fullPulls == 0, "\(status)")
            #expect(try device.store.verify().problems == [])
            var problems: [String] = []
            try Journal(store: device.store).checkInvariants { problems.append($0) }
            #expect(problems == [])
        }
    }

    private func thread(_ device: TestDevice, _ title: String = "Garden") throws -> UUID {
        try device.change { try $0.journals.createThread(title, firstEntry: "The first tulip.").id }
    }

    private func entries(_ device: TestDevice) throws -> [String] {
        try device.store.read { try $0[JournalEntry.self].page(limit: 100).map(\.content).sorted() }
    }

    @Test("Journals stay on their device until they are switched on for the space [J-MT6]")
    func switching() async throws {
        let devices = try await devices(2, journals: false)
        for device in devices { _ = try thread(device, "Of \(device.number)") }
        try await syncAll(devices)
        #expect(hub.units.isEmpty)
        #expect(try entries(devices[1]).count == 1)
        try await devices[1].replica.switchOnJournals()
        try await syncAll(devices)
        #expect(try devices.allSatisfy { try $0.replica.status().hasJournals })
        for device in devices { #expect(try entries(device).count == 2) }
        // One that joins later gets them as well.
        let late = try TestDevice(3, at: start)
        try await late.begin()
        _ = try thread(late, "Of 3")
        try await syncAll(devices + [late])
        #expect(try entries(devices[0]).count == 3)
    }

    @Test(
        "Edits of an entry, its deletion and its place are kept side by side; of two contents the later one [L-SY1, X-37]"
    )
    func entryUnits() async throws {
        let devices = try await devices(2)
        let thread = try thread(devices[0])
        try await syncAll(devices)
        let id = try devices[0].store.read { try $0[JournalEntry.self].page(limit: 1)[0].id }
        try devices[0].change { _ = try $0.journals.setPlace(EntryPlace("Berlin, Germany"), of: id) }
        try devices[0].change { _ = try $0.journals.editEntry(id, "Two tulips.") }
        advance(devices)
        try devices[1].change { _ = try $0.journals.editEntry(id, "Three tulips.") }
        try devices[1].change { _ = try $0.journals.renameThread(thread, to: "Front garden") }
        try await syncAll(devices)
        let entry = try #require(try devices[0].store.read { try $0[JournalEntry.self].get(id) })
        #expect(entry.content == "Three tulips." && entry.place?.city == "Berlin" && entry.isEdited)
        #expect(try devices[0].replica.conflicts().map(\.value) == ["Two tulips."])
        try devices[1].change { _ = try $0.journals.deleteEntry(id) }
        try devices[0].change { _ = try $0.journals.addEntry(NewEntry("Again."), to: thread) }
        try await syncAll(devices)
        #expect(try devices[1].store.read { try $0.journals.entries(of: thread).map(\.content) } == ["Again."])
    }

    @Test("A value that is removed and given again is the last one everywhere")
    func valuesAgain() async throws {
        let devices = try await devices(2)
        let thread = try thread(devices[0])
        let field = try devices[0].change { try $0.journals.createField("Rain", in: thread).id }
        let entry = try devices[0].change {
            try $0.journals.addEntry(NewEntry("x", values: [field: "1 mm"]), to: thread).id
        }
        try await syncAll(devices)
        for value in [[:], [field: "2 mm"]] {
            advance(devices)
            try devices[0].change { _ = try $0.journals.editEntry(entry, "x \(value.count)", values: value) }
            try await syncAll(devices)
        }
        let id = EntryFieldID(entry: entry, field: field)
        for device in devices {
            #expect(try device.store.read { try $0[EntryFieldValue.self].get(id)?.value } == "2 mm")
        }
    }

    @Test(
        "A thread that is purged takes its entries along on every device, and one that was written meanwhile stops nothing"
    )
    func purge() async throws {
        let devices = try await devices(3)
        let thread = try thread(devices[0])
        try await syncAll(devices)
        try devices[0].change { _ = try $0.journals.purgeThread(thread) }
        try devices[1].change { _ = try $0.journals.addEntry(NewEntry("Meanwhile."), to: thread) }
        try await syncAll(devices)
        try await syncAll(devices.reversed())
        for device in devices { #expect(try entries(device) == []) }
        // And what comes later still arrives.
        _ = try self.thread(devices[2], "Kitchen")
        try await syncAll(devices)
        #expect(try entries(devices[1]).count == 1)
    }

    @Test("Entries that a program without sync has edited are stamped by the change log")
    func editsWithoutSync() async throws {
        let devices = try await devices(2)
        _ = try thread(devices[0])
        try await syncAll(devices)
        let id = try devices[0].store.read { try $0[JournalEntry.self].page(limit: 1)[0].id }
        try devices[0].withoutSync { store in
            try store.write { _ = try $0.journals.editEntry(id, "Edited.") }
        }
        try await syncAll(devices)
        #expect(try entries(devices[1]) == ["Edited."])
    }

    @Test("Linked tasks are linked on every device, with the same time of change [L-SY1]")
    func links() async throws {
        let devices = try await devices(2, journals: false)
        let (soil, seeds) = try devices[0].write(.create) { (try $0.create("Buy soil").id, try $0.create("Sow").id) }
        try await syncAll(devices)
        advance(devices)
        try devices[0].write(.block) { _ = try $0.block(seeds, by: soil) }
        try await syncAll(devices)
        #expect(try devices[1].store.read { try $0.tasks.blockerIDs(of: seeds) } == [soil])
        try devices[1].write(.block) { _ = try $0.unblock(seeds, by: soil) }
        try await syncAll(devices)
        #expect(try devices[0].store.read { try $0.tasks.blockerIDs(of: seeds) } == [])
        try devices[0].write(.block) { _ = try $0.block(seeds, by: soil) }
        try await syncAll(devices)
        #expect(try devices[1].store.read { try $0.tasks.blockerIDs(of: seeds) } == [soil])
    }

    @Test(
        "A link to a task that another device has deleted waits beside it, and is there when the task comes back [L-SY3]"
    )
    func linkOfADeletedTask() async throws {
        let devices = try await devices(3, journals: false)
        let (soil, seeds) = try devices[0].write(.create) { (try $0.create("Buy soil").id, try $0.create("Sow").id) }
        try await syncAll(devices)
        try devices[0].write(.delete) { try $0.delete(soil) }
        try devices[1].write(.block) { _ = try $0.block(seeds, by: soil) }
        // The third one has the link before it learns of the deletion.
        #expect(try await devices[1].sync(hub) == .settled)
        #expect(try await devices[2].sync(hub) == .settled)
        try await syncAll(devices)
        for device in devices { #expect(try device.store.read { try $0[TaskLink.self].count() } == 0) }
        advance(devices)
        try devices[0].change { _ = try $0.undo() }
        try await syncAll(devices)
        for device in devices {
            #expect(try device.store.read { try $0.tasks.blockerIDs(of: seeds) } == [soil])
        }
    }

    @Test("Two devices that let two tasks wait for each other keep both links, and nothing ends in a circle")
    func circle() async throws {
        let devices = try await devices(2, journals: false)
        let (one, two) = try devices[0].write(.create) { (try $0.create("One").id, try $0.create("Two").id) }
        try await syncAll(devices)
        try devices[0].write(.block) { _ = try $0.block(one, by: two) }
        try devices[1].write(.block) { _ = try $0.block(two, by: one) }
        try await syncAll(devices)
        #expect(try devices[0].store.read { try $0.tasks.blockedTasks().count } == 2)
        try devices[0].write(.block) { _ = try $0.unblock(one, by: two) }
        try await syncAll(devices)
        #expect(try devices[1].store.read { try $0.tasks.blockedTasks().map(\.id) } == [two])
    }
}

extension ReadTransaction {
    fileprivate var journals: JournalReading { JournalReading(transaction: self) }
}

import Daybook
import Foundation
import Simulation
import Testing

@testable import Greenhouse

/// Tests without scenarios: a world whose time the test controls.
final class WorldTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "greenhouse-\(Foundation.UUID())")

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("The night with a gap has 23 hours of readings")
    func shortNight() throws {
        let world = try SimulatedWorld(at: "2026-03-29 00:30", zone: "Europe/Berlin", seed: 7)
        try world.run { [folder] in
            let store = try DaybookStore.open(
                at: folder, context: world.context, records: Readings.schema)
            let readings = Readings(store: store)
            let today = store.context.today
            while store.context.today == today {
                try await readings.measure(18, by: "north bench")
                await world.advance(by: .hours(1))
            }
            #expect(try readings.count(on: today) == 23)
        }
    }

    @Test("The live maximum of today rises with a hotter reading, and no reading of others is left of a retired sensor")
    func liveMaximum() throws {
        let world = try SimulatedWorld(at: "2026-07-01 14:00", zone: "Europe/Berlin")
        try world.run { [folder] in
            let store = try DaybookStore.open(at: folder, context: world.context, records: Readings.schema)
            let readings = Readings(store: store)
            let maximum = world.follow(readings.maximumOfToday())
            #expect(try await maximum.next().value == nil)
            try await readings.measure(20, by: "Tür")
            #expect(try await maximum.next().value == 20)
            try await readings.measure(31, by: "roof")
            #expect(try await maximum.next().value == 31)
            // It has cooled down, so nothing is reported.
            try await readings.measure(12, by: "TUR")
            #expect(try readings.countsBySensor().map { "\($0.name) \($0.count)" } == ["roof 1", "Tür 2"])
            #expect(try readings.sensors(beginning: "tu") == ["Tür"])
            try await readings.retire("roof")
            #expect(try await maximum.next().value == 20)
            #expect(try store.verify().problems == [])
        }
    }

    @Test("A live view reports the task of a hot day, and the end of that day")
    func liveView() throws {
        let world = try SimulatedWorld(at: "2026-07-01 14:00", zone: "Europe/Berlin")
        try world.run { [folder] in
            let store = try DaybookStore.open(
                at: folder, context: world.context, records: Readings.schema)
            let today = world.follow(store.tasks.changes(in: .today))
            #expect(try await today.next().tasks.isEmpty)
            try await Readings(store: store).measure(36, by: "south bench")
            #expect(try await today.next().tasks.map(\.text) == ["Open the vents"])
            try await world.advance(to: "midnight")
            #expect(try await today.next().tasks.isEmpty)
        }
    }
}

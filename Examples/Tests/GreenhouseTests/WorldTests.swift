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
                at: folder, context: world.context, records: Schema().adding(Reading.collection))
            let readings = Readings(store: store)
            let today = store.context.today
            while store.context.today == today {
                try await readings.measure(18, by: "north bench")
                await world.advance(by: .hours(1))
            }
            #expect(try readings.count(on: today) == 23)
        }
    }

    @Test("A live view reports the task of a hot day, and the end of that day")
    func liveView() throws {
        let world = try SimulatedWorld(at: "2026-07-01 14:00", zone: "Europe/Berlin")
        try world.run { [folder] in
            let store = try DaybookStore.open(
                at: folder, context: world.context, records: Schema().adding(Reading.collection))
            let today = world.follow(store.tasks.changes(in: .today))
            #expect(try await today.next().tasks.isEmpty)
            try await Readings(store: store).measure(36, by: "south bench")
            #expect(try await today.next().tasks.map(\.text) == ["Open the vents"])
            try await world.advance(to: "midnight")
            #expect(try await today.next().tasks.isEmpty)
        }
    }
}

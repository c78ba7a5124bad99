import Daybook
import Foundation
import PerformanceTesting

// Judges the operations of the greenhouse (Documentation/PerformanceTesting.md).
let gate = PerformanceGate("greenhouse", records: Readings.schema, sizes: [1_000, 10_000]) { store, size in
    let readings = Readings(store: store)
    for number in 0..<size {
        try await readings.measure(Double(number % 30), by: "bench \(number % 40)")
    }
} operations: {
    GateOperation("measure", budget: .milliseconds(100), requirement: "G-3") { store, turn in
        try await Readings(store: store).measure(Double(turn % 30), by: "roof")
    }
    GateOperation("first readings of today", budget: .milliseconds(5), growth: 2) { transaction, _ in
        let start = transaction.context.zone.start(of: transaction.context.today)
        _ = try transaction[Reading.byTime].range(from: start, limit: 50)
    }
    GateOperation("readings of a sensor", budget: .milliseconds(5), growth: 2) { transaction, turn in
        guard let sensor = try transaction[Sensor.byName].first(TextKey("bench \(turn % 40)")) else { return }
        _ = try transaction[Reading.perSensor].count(of: sensor.id)
    }
}

exit(await gate.main())

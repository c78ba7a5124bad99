import CrashTesting
import Daybook

@testable import Greenhouse

/// The greenhouse for crash tests: what it should have, and its operations, which are those of the program.
struct GreenhousePack: DomainPack {
    /// The temperatures of each sensor, in order.
    var readings: [String: [Double]] = [:]
    /// How often the vents have to be opened.
    var tasks = 0

    static let records = Readings.schema
    /// The base of all sequences: a sensor with a reading, and another one.
    static let start = ["measure", "measure.1"]

    static let operations = [
        DomainOperation<Self>("measure") { _, draw in
            let (name, celsius) = (
                ["north bench", "south bench", "door"][draw.below(3)], [21.5, 36, -3][draw.below(3)]
            )
            return DomainChange {
                $0.readings[name, default: []].append(celsius)
                if celsius > 35 { $0.tasks += 1 }
            } store: {
                try await Readings(store: $0).measure(celsius, by: name)
            }
        },
        DomainOperation<Self>("heat") { model, draw in
            guard let name = draw.pick(model.readings.keys.sorted()) else { return nil }
            return DomainChange {
                $0.readings[name]?.append(40)
                $0.tasks += 1
            } store: {
                try await Readings(store: $0).measure(40, by: name.uppercased())
            }
        },
        DomainOperation<Self>("rename") { model, draw in
            guard let name = draw.pick(model.readings.keys.sorted()) else { return nil }
            let new = name + "!"
            guard model.readings[new] == nil else { return nil }
            return DomainChange {
                $0.readings[new] = $0.readings.removeValue(forKey: name)
            } store: {
                try await Readings(store: $0).rename(name, to: new)
            }
        },
        DomainOperation<Self>("retire") { model, draw in
            guard let name = draw.pick(model.readings.keys.sorted()) else { return nil }
            return DomainChange {
                $0.readings[name] = nil
            } store: {
                try await Readings(store: $0).retire(name)
            }
        },
    ]

    var lines: [String] {
        readings.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.count) \($0.value)" } + ["\(tasks) tasks"]
    }

    static func lines(in transaction: ReadTransaction) throws -> [String] {
        try transaction[Sensor.byName].range().map { sensor in
            let readings = try transaction[Reading.ofSensor].prefix(sensor.id).sorted {
                $0.id.uuidString < $1.id.uuidString
            }
            return
                "\(sensor.name): \(try transaction[Reading.perSensor].count(of: sensor.id)) \(readings.map(\.celsius))"
        } + ["\(try transaction.tasks.count()) tasks"]
    }

    /// For each reading that was too hot, there is a task, whatever became of its sensor.
    static func problems(in transaction: ReadTransaction) throws -> [String] {
        let hot = try transaction[Reading.byTime].range().count { $0.celsius > 35 }
        return try transaction.tasks.count() >= hot ? [] : ["it was too hot, but there is no task"]
    }
}

/// The same with a mistake: a hot reading and its task are two transactions.
struct MistakenPack: DomainPack {
    var greenhouse = GreenhousePack()

    static let records = GreenhousePack.records
    static let start = ["measure"]

    static let operations = [
        DomainOperation<Self>("measure") { _, draw in
            let celsius = [21.5, 36, -3][draw.below(3)]
            return DomainChange {
                $0.greenhouse.readings["north bench", default: []].append(celsius)
                if celsius > 35 { $0.greenhouse.tasks += 1 }
            } store: {
                try await Readings(store: $0).measureInTwoTransactions(celsius, by: "north bench")
            }
        }
    ]

    var lines: [String] { greenhouse.lines }

    static func lines(in transaction: ReadTransaction) throws -> [String] {
        try GreenhousePack.lines(in: transaction)
    }

    static func problems(in transaction: ReadTransaction) throws -> [String] {
        try GreenhousePack.problems(in: transaction)
    }
}

extension Readings {
    /// What `measure` does, but the task comes in a transaction of its own.
    fileprivate func measureInTwoTransactions(_ celsius: Double, by name: String) async throws {
        try await store.write { transaction in
            let known = try transaction[Sensor.byName].first(TextKey(name))
            let sensor = known ?? Sensor(id: transaction.identifiers.next(), name: name)
            try transaction.put(sensor)
            try transaction.put(
                Reading(
                    id: transaction.identifiers.next(), sensor: sensor.id, takenAt: transaction.context.clock.wall,
                    celsius: celsius))
        }
        if celsius > 35 { try await store.tasks.create("Open the vents", on: store.context.today) }
    }
}

import CivilTime
import Foundation
import Injection
import Testing

@testable import Records

/// The change log and its consumers as plain numbers: what is kept of a log that may hold nothing beyond its last 64
/// changes.
private struct LogModel {
    struct Consumer: Equatable {
        var position: UInt64
        var movedAt: Instant
    }

    private(set) var first: UInt64 = 0
    private var instants: [Instant] = []
    var consumers: [String: Consumer] = [:]
    static let days = 10

    var last: UInt64 { UInt64(instants.count) }

    mutating func append(at now: Instant) {
        instants.append(now)
        first = max(first, 1)
        guard last % 64 == 0 else { return }
        let needed = consumers.values.filter { $0.position + 1 >= first && !isAbandoned($0, at: now) }
            .map { $0.position + 1 }.min()
        first = max(first, min(last > 64 ? last - 64 : 0, first + 256, needed ?? .max))
    }

    private func isAbandoned(_ consumer: Consumer, at now: Instant) -> Bool {
        func isOld(_ instant: Instant) -> Bool { instant.advanced(bySeconds: Int64(Self.days) * 86_400) < now }
        let waiting = consumer.position < last ? instants[Int(consumer.position)] : nil
        return isOld(consumer.movedAt) && waiting.map(isOld) ?? true
    }

    /// What a consumer's feed returns now; nil if it throws.
    func changes(after position: UInt64) -> [UInt64]? {
        guard first <= position + 1 else { return nil }
        return position < last ? Array((position + 1)...last) : []
    }

    var statuses: [ChangeConsumer.Status] {
        consumers.sorted { $0.key < $1.key }.map { name, consumer in
            ChangeConsumer.Status(
                name: name, position: consumer.position, changesBehind: last - consumer.position,
                movedAt: consumer.movedAt, hasMissedChanges: consumer.position + 1 < first)
        }
    }
}

@Suite struct ConsumerModelTests {
    private static func options(_ point: InjectionPoint?) -> StoreOptions {
        var options = StoreOptions(
            retention: ChangeLogRetention(
                maximumBytes: 0, maximumBytesForConsumers: .max, maximumAgeOfConsumersInDays: LogModel.days))
        options.injectionPoint = ArmedInjectionPoints(point)
        return options
    }

    /// Random operations on a store and on the model. Returns the first difference.
    private func difference(seed: UInt64, steps: Int, _ point: InjectionPoint? = nil) async throws -> String? {
        var opened = try TestStore(options: Self.options(point))
        var model = LogModel()
        var dice = Dice(seed)
        var level: Int32 = 0
        for step in 0..<steps {
            let name = dice.pick(["a", "b", "c", "d"])
            let now = opened.clock.wall
            let known = model.consumers[name]
            switch dice.below(12) {
            case 0...3:
                for _ in 0...dice.below(90) {
                    level += 1
                    try await opened.put(Reading(1, level: level))
                    model.append(at: now)
                }
            case 4:
                let start = dice.chance(50) ? 0 : UInt64(dice.below(Int(model.last) + 1))
                _ = try await opened.store.consumer(name, after: start)
                if known == nil { model.consumers[name] = .init(position: start, movedAt: now) }
            case 5:
                guard known != nil, dice.chance(20) else { continue }
                try await opened.store.consumer(name).unregister()
                model.consumers[name] = nil
            case 6, 7:
                guard let known else { continue }
                let target = min(model.last, known.position + UInt64(dice.below(120)))
                let moved = try await opened.store.consumer(name).advance(to: target)
                guard moved == (target > known.position) else { return "step \(step): advance" }
                if moved { model.consumers[name] = .init(position: target, movedAt: now) }
            case 8:
                // What it derives and its position, in one transaction.
                guard let known, known.position < model.last else { continue }
                let consumer = try await opened.store.consumer(name)
                level += 1
                let (target, reading) = (model.last, Reading(2, level: level))
                try await opened.store.write { transaction in
                    try transaction.advance(consumer, to: target)
                    try transaction.put(reading)
                }
                model.consumers[name] = .init(position: target, movedAt: now)
                model.append(at: now)
            case 9:
                guard let known else { continue }
                let found = try await read(opened.store.consumer(name), upTo: model.last)
                guard found == model.changes(after: known.position) else { return "step \(step): changes of \(name)" }
            case 10:
                opened = try opened.reopened(options: Self.options(point))
                let elapsed = now.microsecondsSince1970 - TestStore.start.microsecondsSince1970
                opened.clock.advance(byMicroseconds: elapsed)
            default:
                opened.clock.advance(byMicroseconds: Int64(dice.below(6)) * 86_400_000_000 + 1)
            }
            let information = try opened.store.information()
            guard information.lastSequence == model.last, information.firstSequence == model.first else {
                return "step \(step): the log begins at \(information.firstSequence), not at \(model.first)"
            }
            guard information.consumers == model.statuses else { return "step \(step): consumers" }
        }
        return try opened.store.verify().problems.first
    }

    /// The changes up to a sequence number; nil when they were trimmed.
    private func read(_ consumer: ChangeConsumer, upTo last: UInt64) async throws -> [UInt64]? {
        let changes = consumer.changes().makeAsyncIterator()
        var sequences: [UInt64] = []
        let status = try #require(try consumer.store.consumers.first { $0.name == consumer.name })
        guard status.changesBehind > 0 else { return [] }
        do {
            while sequences.last != last { sequences.append(try #require(try await changes.next()).sequence) }
        } catch RecordsError.changesTrimmed {
            return nil
        }
        return sequences
    }

    @Test(
        "Positions, feeds and the trimmed log equal a model, with several consumers, moves of the clock and reopening [D7]",
        arguments: 1...6 as ClosedRange<UInt64>)
    func lockstep(seed: UInt64) async throws {
        #expect(try await difference(seed: seed, steps: 160) == nil)
    }

    @Test("Trimming that ignores registered consumers is found", arguments: 1...6 as ClosedRange<UInt64>)
    func negativeControl(seed: UInt64) async throws {
        #expect(try await difference(seed: seed, steps: 160, .ignoresConsumers) != nil)
    }
}

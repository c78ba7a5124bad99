import Daybook
import LabSupport

/// Generates the next step of a random scenario from the current state.
struct StepSource {
    private let weights: [(feature: Feature, weight: Int)]
    private let total: Int
    private var dice: SeededGenerator
    private let later: Moment
    private var created = 0
    /// The operations of the application's domain.
    private let domain: [String]
    /// Whether only these change tasks.
    private let domainHasTasks: Bool

    /// The maximum number of tasks: more of them only slow a run down.
    private static let tasksMax = 24

    init(_ random: RandomScenario, seed: UInt64, domain: [String] = [], domainHasTasks: Bool = false) {
        self.domain = domain
        self.domainHasTasks = domainHasTasks
        weights = random.weights
        total = weights.reduce(0) { $0 + $1.weight }
        var dice = SeededGenerator(seed: seed ^ 0xD1CE)
        later = .instant(
            random.scenario.start.instant(after: Instant(secondsSince1970: 0), in: .utc).advanced(
                bySeconds: Int64(385 + dice.below(120)) * 86_400))
        self.dice = dice
    }

    /// The state from which a step is drawn.
    struct Situation {
        var state: ModelState
        var canRedo: Bool
        /// Whether the model predicts what undoing the last notice leads to.
        var isNoticeModelled: Bool
        /// Whether the change log has dropped old changes.
        var isTrimmed: Bool
        var moment: ModelMoment
        var isOpen: Bool
        var isAsleep: Bool
    }

    mutating func next(in situation: Situation) -> Action {
        if situation.isAsleep {
            return dice.chance(50) ? .wake : dice.chance(20) ? .travel(zone()) : .advance(duration(.hours))
        }
        if !situation.isOpen { return dice.chance(60) ? .open : timeGoesBy(situation) }
        // Without a domain nothing is drawn, so that recorded seeds keep their scenarios.
        if !domain.isEmpty, dice.chance(45) {
            let operation = Action.custom(dice.pick(domain) ?? "", .number(dice.below(9_973)))
            let crash: Crash? = isUsed(.powerCrashes) ? .power : isUsed(.processCrashes) ? .process : nil
            if domainHasTasks, isUsed(.otherProcesses), dice.chance(8) { return .elsewhere(operation) }
            guard let crash, dice.chance(10) else { return operation }
            return .crash(crash, during: operation, choice: dice.next() % 1_000_000)
        }
        if domainHasTasks { return besideDomain(situation) }
        // Other operations need tasks, but not too many.
        let count = situation.state.tasks.count
        if count == 0, dice.chance(10) { return .undo }
        if count < Self.tasksMax, count < 3 || dice.chance(20) { return create(situation) }
        guard let feature = feature() else { return create(situation) }
        switch feature {
        case .seconds, .hours, .days, .midnights, .jumps, .epoch, .travel: return time(feature, situation)
        case .sleep: return .sleep
        case .closing: return .close
        case .processCrashes: return crash(.process, situation)
        case .powerCrashes: return crash(.power, situation)
        case .fullDisk: return .fault(.fullDisk, writes: 1 + dice.below(5))
        case .busy: return .fault(.busy, writes: 1 + dice.below(5))
        case .otherProcesses: return .elsewhere(operation(situation, isElsewhere: true))
        default: return operation(feature, situation)
        }
    }

    /// Draws what can happen to a store whose tasks belong to a domain.
    private mutating func besideDomain(_ situation: Situation) -> Action {
        switch feature() {
        case .some(let feature) where feature.isOfTime: return time(feature, situation)
        case .sleep: return .sleep
        case .closing: return .close
        case .processCrashes: return .crash(.process, during: nil, choice: dice.next() % 1_000_000)
        case .powerCrashes: return .crash(.power, during: nil, choice: dice.next() % 1_000_000)
        case .fullDisk: return .fault(.fullDisk, writes: 1 + dice.below(5))
        case .busy: return .fault(.busy, writes: 1 + dice.below(5))
        case .otherProcesses: return .elsewhere(dice.chance(30) ? .redo : .undo)
        case .redo: return dice.chance(60) && situation.canRedo ? .redo : .undo
        case .undo: return .undo
        default: return .custom(dice.pick(domain) ?? "", .number(dice.below(9_973)))
        }
    }

    private func isUsed(_ feature: Feature) -> Bool { weights.contains { $0.feature == feature } }

    private mutating func feature() -> Feature? {
        guard total > 0 else { return nil }
        var rest = dice.below(total)
        for (feature, weight) in weights {
            if rest < weight { return feature }
            rest -= weight
        }
        return nil
    }

    // MARK: Time

    private mutating func time(_ feature: Feature, _ situation: Situation) -> Action {
        switch feature {
        case .midnights: return midnight(situation)
        case .epoch:
            // A clock that was set to 1970 is corrected eventually, and what was written meanwhile looks old.
            let isThere = abs(situation.moment.wall.microsecondsSince1970) < 400 * 86_400_000_000
            return .jumpTo(isThere ? later : .instant(Instant(microsecondsSince1970: Int64(dice.below(5)) - 2)))
        case .travel: return .travel(zone())
        case .seconds where dice.chance(15): return nextReminder(situation) ?? .advance(duration(feature))
        case .jumps:
            let size = duration(dice.pick([.seconds, .hours, .days]) ?? .hours)
            return dice.chance(50) ? .jump(size, monotonic: dice.chance(30)) : .jump(.zero - size, monotonic: false)
        default: return .advance(duration(feature))
        }
    }

    private mutating func timeGoesBy(_ situation: Situation) -> Action {
        time(dice.pick([.seconds, .hours, .days, .midnights, .travel, .jumps]) ?? .hours, situation)
    }

    /// Advances to the end of the day, or to the microsecond before or after it.
    private mutating func midnight(_ situation: Situation) -> Action {
        let now = situation.moment
        let end = now.zone.end(of: now.today)
        let left = end.microseconds(since: now.wall) + Int64(dice.below(3)) - 1
        return left <= 0 || dice.chance(40) ? .advanceTo(.midnight) : .advance(.microseconds(left))
    }

    /// Advances to the next reminder, or to the microsecond before or after it, unless that is too far away.
    private mutating func nextReminder(_ situation: Situation) -> Action? {
        let now = situation.moment.wall
        guard let next = situation.state.reminders.first(where: { $0.instant > now }) else { return nil }
        let wait = next.instant.microseconds(since: now)
        return wait > 7 * 86_400_000_000 ? nil : .advance(.microseconds(max(0, wait + Int64(dice.below(3)) - 1)))
    }

    private mutating func duration(_ feature: Feature) -> Duration {
        switch feature {
        case .seconds: dice.chance(50) ? .milliseconds(dice.below(4_000)) : .seconds(dice.below(4))
        case .days: .days(dice.chance(20) ? dice.below(40) : dice.below(4)) + .hours(dice.below(24))
        default: .minutes(15 * dice.below(100))
        }
    }

    private mutating func zone() -> String { dice.pick(RandomScenario.zones) ?? "UTC" }

    // MARK: Operations

    private mutating func create(_ situation: Situation) -> Action {
        created += 1
        let name = "t\(created)"
        if dice.chance(30) { return .create(name, on: nil, in: dice.pick(TaskView.allCases)) }
        return .create(name, on: when(situation), in: nil)
    }

    private mutating func crash(_ crash: Crash, _ situation: Situation) -> Action {
        let action = dice.chance(75) ? operation(situation, isElsewhere: false) : nil
        return .crash(crash, during: action, choice: dice.next() % 1_000_000)
    }

    /// Draws an operation that a crash interrupts or another process performs.
    private mutating func operation(_ situation: Situation, isElsewhere: Bool) -> Action {
        let features: [Feature] = [
            .states, .schedule, .reorder, .carry, .edit, .remind, .delete, .together, .undo, .redo, .refusals,
        ]
        guard let feature = dice.pick(features), !dice.chance(15) else { return create(situation) }
        let action = operation(feature, situation)
        return isElsewhere && action == .undoNotice ? .undo : action
    }

    private mutating func operation(_ feature: Feature, _ situation: Situation, on task: String? = nil) -> Action {
        let name = task ?? name(situation)
        switch feature {
        case .states:
            return dice.chance(30) ? .cycle(name) : .setState(name, dice.pick(TaskState.allCases) ?? .active)
        case .schedule:
            return .schedule(
                name, on: when(situation) ?? .inbox, at: dice.chance(20) ? dice.pick([.first, .last]) : nil)
        case .reorder: return .reorder(name, to: place(of: name, situation))
        case .carry:
            let names = (0..<1 + dice.below(3)).map { _ in self.name(situation) }
            return .carry(names, to: when(situation) ?? .inbox)
        case .edit: return .edit(name, text: "\(name) again \(dice.below(100))")
        case .remind: return .remind(name, at: reminder(situation))
        case .delete: return .delete(name)
        case .purge: return .purge(dice.chance(50) ? deleted(situation) ?? name : name)
        case .together: return together(situation)
        case .undo: return .undo
        case .redo: return dice.chance(60) && situation.canRedo ? .redo : .undo
        case .notice: return situation.isNoticeModelled ? .undoNotice : .undo
        case .refusals: return refused(name, situation)
        default: return create(situation)
        }
    }

    private mutating func together(_ situation: Situation) -> Action {
        let features: [Feature] = [.states, .schedule, .reorder, .carry, .edit, .remind, .delete]
        var actions = [create(situation)]
        for _ in 0..<1 + dice.below(3) {
            guard let feature = dice.pick(features) else { break }
            // A task created in this transaction is changed or deleted in it as well.
            actions.append(operation(feature, situation, on: dice.chance(30) ? "t\(created)" : nil))
        }
        return .together(actions)
    }

    /// Draws an operation that is likely to be refused: past days, deleted tasks, places on other days.
    private mutating func refused(_ name: String, _ situation: Situation) -> Action {
        let past = When.day("\(situation.moment.today.advanced(by: -1 - dice.below(3)))")
        return switch dice.below(9) {
        case 0: .schedule(name, on: past, at: nil)
        case 5: .carry([name], to: past)
        case 6: .create("t-past", on: past, in: nil)
        case 7: .edit(name, text: "  ")
        case 1: .setState(deleted(situation) ?? "t0", .completed)
        case 2: .reorder(name, to: .before(self.name(situation)))
        case 3: .reorder(name, to: .index(dice.below(6)))
        case 4: .redo
        default: situation.isNoticeModelled ? .undoNotice : .redo
        }
    }

    private mutating func name(_ situation: Situation) -> String {
        // Prefers recent tasks, so that several things happen to the same one.
        let names = situation.state.tasks.keys.sorted()
        let few = names.suffix(4)
        return (dice.chance(40) ? dice.pick(Array(few)) : dice.pick(names)) ?? "t0"
    }

    private mutating func deleted(_ situation: Situation) -> String? {
        dice.pick(situation.state.deleted.keys.sorted())
    }

    private mutating func when(_ situation: Situation) -> When? {
        switch dice.below(6) {
        case 0: nil
        case 1, 2: .today
        case 3: .tomorrow
        case 4: .day("+\(dice.below(5))d")
        default: .day("\(situation.moment.today.advanced(by: dice.below(9)))")
        }
    }

    private mutating func reminder(_ situation: Situation) -> Moment? {
        let day = situation.moment.today.advanced(by: dice.below(3))
        return dice.chance(15) ? nil : .local(day, microseconds: Int64(dice.below(48)) * 1_800_000_000)
    }

    private mutating func place(of name: String, _ situation: Situation) -> Place {
        let state = situation.state
        let neighbours = state.tasks[name].map { state.places[$0.day, default: []] } ?? []
        let other = dice.pick(neighbours) ?? name
        switch dice.below(5) {
        case 0: return .first
        case 1: return .last
        case 2: return .before(other)
        case 3: return .after(other)
        default: return .index(dice.below(max(1, neighbours.count)))
        }
    }
}

// The draws of random scenarios, by remainder, so that recorded seeds keep their scenarios.
extension SeededGenerator {
    /// Returns one of several elements.
    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

import CivilTime
import FoundationEssentials
import Records
import Tasks

/// An operation on tasks with its target, applied to both the model and a store.
package enum TaskAction: Sendable {
    case create(Int, on: Day?, noteLength: Int)
    case bulk(ClosedRange<Int>)
    case setState(Int, TaskState)
    case moveFirst(Int)
    case schedule(Int, on: Day?)
    case delete(Int)
    case importing([Int], on: Day)

    /// Performs it inside a transaction.
    package func perform(in transaction: WriteTransaction) throws {
        let tasks = transaction.tasks
        switch self {
        case .create(let number, let day, let noteLength):
            // From bytes: repeating a character is a hundred times slower, and long notes are needed to make a map
            // grow.
            let bytes = [UInt8](repeating: UInt8(ascii: "n"), count: noteLength)
            let notes = noteLength == 0 ? nil : String(decoding: bytes, as: UTF8.self)
            try tasks.create(NewTask(Self.text(number), on: day, notes: notes, id: Self.id(number)))
        case .bulk(let numbers):
            for number in numbers { try tasks.create(NewTask(Self.text(number), id: Self.id(number))) }
        case .setState(let number, let state): try tasks.setState(Self.id(number), to: state)
        case .moveFirst(let number): try tasks.reorder(Self.id(number), to: .first)
        case .schedule(let number, let day): try tasks.schedule(Self.id(number), on: day.map { .on($0) } ?? .inbox)
        case .delete(let number): try tasks.delete(Self.id(number))
        case .importing(let numbers, let day):
            for number in numbers {
                try tasks.merge(Self.imported(number, on: day, at: transaction.context.clock.wall))
            }
        }
    }

    package static func id(_ number: Int) -> UUID {
        // A fixed pseudo-random prefix spreads the records over the tree's pages.
        let spread = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        return UUID(high: spread & ~0xF000 | 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    package static func number(of id: UUID) -> Int {
        Int(id.uuid.15) | Int(id.uuid.14) << 8 | Int(id.uuid.13) << 16
    }

    package static func text(_ number: Int) -> String { "task \(number)" }

    /// Every third one is already completed.
    private static func imported(_ number: Int, on day: Day, at now: Instant) -> ImportedTask {
        var task = ImportedTask(id: id(number), text: text(number), createdAt: now, updatedAt: now, scheduledDate: day)
        if number % 3 == 0 {
            task.state = .completed
            task.completedAt = now
            task.completedOffsetSeconds = 0
        }
        return task
    }
}

extension TaskPack {
    mutating func apply(_ action: TaskAction, at now: Instant) {
        switch action {
        case .create(let number, let day, let noteLength): insert(number, Task(day: day, noteLength: noteLength))
        case .bulk(let numbers): for number in numbers { insert(number, Task()) }
        case .importing(let numbers, let day):
            for number in numbers {
                let isDone = number % 3 == 0
                insert(
                    number, Task(day: day, state: isDone ? .completed : .notStarted, completedAt: isDone ? now : nil))
            }
        case .setState(let number, let target):
            tasks[number]?.state = target
            tasks[number]?.completedAt = target == .completed ? now : nil
        case .moveFirst(let number):
            let day = tasks[number]?.day
            places[day]?.removeAll { $0 == number }
            places[day]?.insert(number, at: 0)
        case .schedule(let number, let day):
            guard var task = tasks[number] else { return }
            remove(number)
            task.day = day
            insert(number, task)
        case .delete(let number):
            if let completion = tasks[number]?.completedAt { completionsOfDeleted.append(completion) }
            remove(number)
        }
    }

    private mutating func insert(_ number: Int, _ task: Task) {
        lastNumber = max(lastNumber, number)
        tasks[number] = task
        places[task.day, default: []].append(number)
    }

    private mutating func remove(_ number: Int) {
        guard let task = tasks.removeValue(forKey: number) else { return }
        places[task.day]?.removeAll { $0 == number }
    }
}

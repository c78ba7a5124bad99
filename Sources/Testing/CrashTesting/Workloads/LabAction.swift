import CivilTime
import FoundationEssentials
import Records
import Tasks

/// What a workload asks of the store, one transaction each unless stated otherwise. The target follows from the state,
/// so that a list of operations is sufficient.
enum LabOperation: String, CaseIterable, Sendable {
    case create
    case complete
    case reorder
    case schedule
    case delete
    case undo
    /// Two operations in one group commit.
    case pair
    /// An import of three tasks.
    case importing
    case redo
    case reopen
    /// A task with a note that needs overflow pages.
    case large
    /// Forty tasks in one transaction.
    case bulk

    /// Those whose short sequences are all tried.
    static let small: [LabOperation] = [
        .create, .complete, .reorder, .schedule, .delete, .undo, .pair, .importing,
    ]
}

/// An operation and the random number that picks its target; 0 picks the first.
struct LabStep: Hashable, Sendable {
    var operation: LabOperation
    var draw = 0
    /// Whether a second process performs it.
    var runsInPeer = false

    /// For example `complete`, `complete.7`, `complete.7@2`, as in a reproducer.
    var text: String {
        operation.rawValue + (draw == 0 ? "" : ".\(draw)") + (runsInPeer ? "@2" : "")
    }

    init(_ operation: LabOperation, draw: Int = 0, runsInPeer: Bool = false) {
        self.operation = operation
        self.draw = draw
        self.runsInPeer = runsInPeer
    }

    init?(_ text: some StringProtocol) {
        var text = text[...]
        if text.hasSuffix("@2") {
            runsInPeer = true
            text = text.dropLast(2)
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let operation = LabOperation(rawValue: String(name)) else { return nil }
        self.operation = operation
        guard parts.count == 2 else { return }
        guard let draw = Int(parts[1]), draw >= 0 else { return nil }
        self.draw = draw
    }
}

/// An operation with its target, applied to both the model and the store.
///
/// Tasks have numbers from 1; a task's id and text follow from its number.
indirect enum LabAction: Sendable {
    case create(Int, on: Day?, noteLength: Int)
    case bulk(ClosedRange<Int>)
    case setState(Int, TaskState)
    case moveFirst(Int)
    case schedule(Int, on: Day?)
    case delete(Int)
    case importing([Int], on: Day)
    case undo
    case redo
    case together(LabAction, LabAction)

    /// Its name in the change log.
    var operation: TaskOperation {
        switch self {
        case .create, .bulk: .create
        case .setState: .changeState
        case .moveFirst: .reorder
        case .schedule: .schedule
        case .delete: .delete
        case .importing: .importing
        case .undo, .redo, .together: .several
        }
    }

    /// Performs it inside a transaction; the operations of a group share one.
    func perform(in tasks: TaskTransaction, of transaction: WriteTransaction) throws {
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
        case .undo: try transaction.undo()
        case .redo: try transaction.redo()
        case .together(let first, let second):
            try first.perform(in: tasks, of: transaction)
            try second.perform(in: tasks, of: transaction)
        }
    }

    static func id(_ number: Int) -> UUID {
        // A fixed pseudo-random prefix spreads the records over the tree's pages.
        let spread = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        return UUID(high: spread & ~0xF000 | 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    static func number(of id: UUID) -> Int { Int(id.uuid.15) | Int(id.uuid.14) << 8 | Int(id.uuid.13) << 16 }

    static func text(_ number: Int) -> String { "task \(number)" }

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

/// The line that represents a task in comparisons.
enum LabLine {
    static func text(_ number: Int, day: Day?, state: TaskState, completedAt: Instant?, _ noteLength: Int) -> String {
        let place = day.map(\.description) ?? "inbox"
        let completion = completedAt.map { " at \($0)" } ?? ""
        return "\(place): \(number) \(state.name)\(completion)\(noteLength == 0 ? "" : " note \(noteLength)")"
    }
}

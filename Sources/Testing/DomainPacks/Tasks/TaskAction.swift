import CivilTime
import FoundationEssentials
import Records
import Tasks

/// A plain operation on numbered tasks, for tests that need no model. A task's id and text follow from its number.
package struct TaskAction: Sendable {
    /// Performs it inside a transaction.
    package let perform: @Sendable (WriteTransaction) throws -> Void

    package static func create(_ number: Int, on day: Day?, noteLength: Int) -> Self {
        Self {
            let notes = noteLength == 0 ? nil : note(ofLength: noteLength)
            try $0.tasks.create(NewTask(text(number), on: day, notes: notes, id: id(number)))
        }
    }

    package static func bulk(_ numbers: ClosedRange<Int>) -> Self {
        Self { for number in numbers { try $0.tasks.create(NewTask(text(number), id: id(number))) } }
    }

    package static func setState(_ number: Int, _ state: TaskState) -> Self {
        Self { try $0.tasks.setState(id(number), to: state) }
    }

    package static func delete(_ number: Int) -> Self { Self { try $0.tasks.delete(id(number)) } }

    package static func id(_ number: Int) -> UUID {
        // A fixed pseudo-random prefix spreads the records over the tree's pages.
        let spread = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        return UUID(high: spread & ~0xF000 | 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }

    package static func number(of id: UUID) -> Int {
        Int(id.uuid.15) | Int(id.uuid.14) << 8 | Int(id.uuid.13) << 16
    }

    package static func text(_ number: Int) -> String { "task \(number)" }

    /// From bytes: repeating a character is a hundred times slower, and long notes are needed to make a map grow.
    static func note(ofLength length: Int) -> String {
        String(decoding: [UInt8](repeating: UInt8(ascii: "n"), count: length), as: UTF8.self)
    }
}

import Daybook

/// A number for all that happened in a run: 64-bit FNV-1a, which needs no secrecy and no speed.
struct RunDigest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func add(_ text: String) {
        add(text.utf8)
        // So that what ends one text cannot begin the next.
        add(CollectionOfOne(0))
    }

    mutating func add(_ number: Int64) {
        add(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Int64($0)) })
    }

    mutating func add(_ event: StoryEvent) {
        add(event.text)
        add(event.outcome)
        add(event.zone.identifier)
        add(event.wall.microsecondsSince1970)
        add(event.monotonic.microseconds)
        add(Int64(event.today.daysSince1970))
        for tasks in event.views {
            for task in tasks {
                add(task.name)
                add(CollectionOfOne(task.state.rawValue))
            }
            add(-1)
        }
        for told in event.told {
            add(told.view.rawValue)
            for step in told.steps { add(step) }
        }
        if let completed = event.completed {
            for count in [completed.today, completed.week, completed.month, completed.lastMonth] { add(Int64(count)) }
        }
    }
}

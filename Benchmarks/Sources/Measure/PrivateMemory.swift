import Daybook
import FoundationEssentials
import Glibc

/// The memory that a process has to itself: what it wrote (dirty), and the pages of files that it alone has mapped (clean),
/// those of the store among them, which the system takes back when it needs them.
struct PrivateMemory {
    private(set) var clean = 0
    private(set) var dirty = 0

    var sum: Int { clean + dirty }

    /// This process's own, now.
    static func now() throws -> PrivateMemory {
        var memory = PrivateMemory()
        // In one piece: the file says nothing of its length.
        for line in try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, let number = Int(words[1]) else { continue }
            if words[0] == "Private_Clean:" { memory.clean = number * 1024 }
            if words[0] == "Private_Dirty:" { memory.dirty = number * 1024 }
        }
        return memory
    }
}

/// A process that does what a person does in a day, and says how much memory it had to itself at its highest.
enum DayOfWork {
    static let creates = 1000

    /// Shows Today and the statistics, then creates tasks; prints the highest sum seen and the dirty part at that moment.
    static func run(_ path: String) async throws {
        let daybook = try DaybookStore.open(
            at: path, context: Stores.context(at: Stores.plannedDay, zone: try Zone("Europe/Berlin")))
        var highest = PrivateMemory()
        func look(_ what: String) throws {
            let memory = try PrivateMemory.now()
            if memory.sum > highest.sum { highest = memory }
            if getenv("DAYBOOK_MEMORY_STEPS") != nil { print("\(what): clean \(memory.clean), dirty \(memory.dirty)") }
        }
        try look("open")
        _ = try daybook.tasks.today()
        try look("Today")
        _ = try daybook.tasks.statistics()
        try look("statistics")
        for number in 1...creates {
            try await daybook.tasks.create("Review chapter \(number) of the thesis before the meeting")
            if number % 100 == 0 || number < 5 { try look("\(number) creates") }
        }
        print("\(highest.sum) \(highest.dirty)")
    }
}

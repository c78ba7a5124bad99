import Daybook
import FoundationEssentials
import Glibc

/// The private memory of a process: pages that it wrote (dirty), and pages of files that no other process has mapped
/// (clean), including those of the store, which the system can reclaim.
struct PrivateMemory {
    private(set) var clean = 0
    private(set) var dirty = 0

    var sum: Int { clean + dirty }

    /// Returns that of this process.
    static func now() throws -> PrivateMemory {
        var memory = PrivateMemory()
        // In one read, since the size of the file is unknown.
        for line in try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, let number = Int(words[1]) else { continue }
            if words[0] == "Private_Clean:" { memory.clean = number * 1024 }
            if words[0] == "Private_Dirty:" { memory.dirty = number * 1024 }
        }
        return memory
    }
}

/// A process that does a typical day's work, and prints its peak private memory.
enum DayOfWork {
    static let creates = 1000

    /// Shows Today and the statistics, then creates tasks; prints the peak and its dirty part.
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

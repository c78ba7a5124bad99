import Glibc

/// How long the lab waits for a process that says nothing, counted in the lab's own waits: of a machine that stood still meanwhile, or
/// a lab that was stopped, no more than one of them counts. By a clock every process of that moment would seem to hang.
struct Patience {
    /// The longest single wait.
    static let slice: Int64 = 100_000

    private var left: Int64

    init(microseconds: Int64) {
        left = microseconds
    }

    var isOver: Bool { left <= 0 }

    /// Counts a wait.
    mutating func spend(microseconds: Int64) { left -= min(microseconds, Self.slice) }

    /// Waits until a pipe has something to read, or its other end is closed; returns false when the patience is over.
    mutating func wait(forInputFrom pipe: Int32) -> Bool {
        while !isOver {
            var descriptor = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, Int32(Self.slice / 1000))
            if ready > 0 { return true }
            if ready == 0 { spend(microseconds: Self.slice) }
        }
        return false
    }
}

// A process of its own for the tests of CAllocationCount: in theirs, others allocate at the same time. It does what its
// arguments say and prints what was counted: calls and bytes. Not part of any product.

import CAllocationCount
import CDiskLog
import Daybook
import Foundation

/// Keeps memory that was asked for, so that no compiler takes the asking out.
nonisolated(unsafe) var kept = [UnsafeMutableRawPointer?](repeating: nil, count: 7)

/// Eight bytes of C: a literal would be allocated anew for each call.
nonisolated(unsafe) let text = strdup("1234567")!

/// One call for 16 bytes; of malloc the compiler knows that it need not be made when nobody uses the memory.
func allocateOnce() {
    var memory: UnsafeMutableRawPointer?
    posix_memalign(&memory, 16, 16)
    free(memory)
}

func counted(_ body: () throws -> Void) rethrows -> String {
    allocation_count_begin()
    try body()
    let counts = allocation_count_end()
    return "\(counts.calls) \(counts.bytes)"
}

/// One call of each kind, and two that libc makes itself.
func allocateByEveryCall() {
    kept[0] = malloc(10)
    kept[1] = calloc(3, 7)
    kept[2] = realloc(nil, 30)
    posix_memalign(&kept[3], 64, 100)
    kept[4] = aligned_alloc(64, 128)
    kept[5] = UnsafeMutableRawPointer(strdup(text))
    kept[6] = UnsafeMutableRawPointer(strndup(text, 3))
}

/// Several threads at once, each with so many calls; they are there already when counting begins.
func allocateOnThreads(_ count: Int) -> String {
    let start = (0..<4).map { _ in DispatchSemaphore(value: 0) }
    let end = DispatchSemaphore(value: 0)
    for number in 0..<4 {
        Thread.detachNewThread {
            // Once before, for what is made at the first time.
            allocateOnce()
            end.signal()
            start[number].wait()
            for _ in 0..<count { allocateOnce() }
            end.signal()
        }
    }
    // Numbers, since going through an array allocates in a build for debugging.
    for _ in 0..<4 { end.wait() }
    return counted {
        for number in 0..<4 { start[number].signal() }
        for _ in 0..<4 { end.wait() }
    }
}

/// Today of 50 tasks, several times.
func today(in folder: String) async throws -> [String] {
    let zone = try Zone("Europe/Berlin")
    let context = Context(
        clock: SettableClock(Instant(secondsSince1970: 1_770_739_200)), random: SeededRandomSource(seed: 1),
        currentZone: { zone }, weekStart: .monday)
    let written = try DaybookStore.open(at: folder, context: context)
    try await written.tasks.create((0..<50).map { NewTask("Task \($0) of a long day", on: context.today) })
    // A writer tidies up on its own thread after it has answered.
    written.close()
    let daybook = try DaybookStore.open(at: folder, context: context)
    _ = try daybook.tasks.today()
    return try (0..<5).map { _ in try counted { _ = try daybook.tasks.today() } }
}

/// Forks again and again while other threads allocate and counting goes on; each child counts for itself.
func fork(times: Int) -> [String] {
    let allocating = (0..<3).map { _ in Thread { while !Thread.current.isCancelled { allocateOnce() } } }
    for thread in allocating { thread.start() }
    defer { for thread in allocating { thread.cancel() } }
    return (0..<times).map { _ in
        allocation_count_begin()
        let child = disk_log_fork()
        if child == 0 {
            // This thread is the only one here.
            allocation_count_begin()
            allocateOnce()
            _exit(Int32(allocation_count_end().calls))
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return "\(status >> 8)"
    }
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "possible": print(allocation_count_is_possible())
case "every-call":
    // The first time Swift makes what it needs for calls of these types.
    _ = counted(allocateByEveryCall)
    print(counted(allocateByEveryCall))
case "threads": print(allocateOnThreads(5_000_000))
case "today": for line in try await today(in: arguments[2]) { print(line) }
case "fork": for line in fork(times: 100) { print(line) }
default: exit(64)
}

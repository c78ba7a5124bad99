// The helper process of the CAllocationCount tests, because other tests allocate in the test process. Runs the work
// that its arguments name and prints the counts: calls and bytes. Not part of any product.

import CAllocationCount
import CDiskLog
import Daybook
import Foundation

/// Keeps allocated memory, so that the compiler does not remove the allocation.
nonisolated(unsafe) var kept = [UnsafeMutableRawPointer?](repeating: nil, count: 7)

/// Eight bytes in C memory: a literal would be allocated for each call.
nonisolated(unsafe) let text = strdup("1234567")!

/// Allocates 16 bytes. The compiler may remove a malloc whose memory is not used, but not this.
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

/// Makes one call of each kind, and two within libc.
func allocateByEveryCall() {
    kept[0] = malloc(10)
    kept[1] = calloc(3, 7)
    kept[2] = realloc(nil, 30)
    posix_memalign(&kept[3], 64, 100)
    kept[4] = aligned_alloc(64, 128)
    kept[5] = UnsafeMutableRawPointer(strdup(text))
    kept[6] = UnsafeMutableRawPointer(strndup(text, 3))
}

/// Makes `count` calls on each of several threads, which exist before counting begins.
func allocateOnThreads(_ count: Int) -> String {
    let start = (0..<4).map { _ in DispatchSemaphore(value: 0) }
    let end = DispatchSemaphore(value: 0)
    for number in 0..<4 {
        Thread.detachNewThread {
            // A first round, for one-time allocations.
            allocateOnce()
            end.signal()
            start[number].wait()
            for _ in 0..<count { allocateOnce() }
            end.signal()
        }
    }
    // A range, since iterating over an array allocates in a debug build.
    for _ in 0..<4 { end.wait() }
    return counted {
        for number in 0..<4 { start[number].signal() }
        for _ in 0..<4 { end.wait() }
    }
}

/// Returns the counts of the Today view of 50 tasks, several times.
func today(in folder: String) async throws -> [String] {
    let zone = try Zone("Europe/Berlin")
    let context = Context(
        clock: SettableClock(Instant(secondsSince1970: 1_770_739_200)), random: SeededRandomSource(seed: 1),
        currentZone: { zone }, weekStart: .monday)
    let written = try DaybookStore.open(at: folder, context: context)
    try await written.tasks.create((0..<50).map { NewTask("Task \($0) of a long day", on: context.today) })
    // The writer thread cleans up after it has acknowledged a write.
    written.close()
    let daybook = try DaybookStore.open(at: folder, context: context)
    _ = try daybook.tasks.today()
    return try (0..<5).map { _ in try counted { _ = try daybook.tasks.today() } }
}

/// Forks repeatedly while other threads allocate and counting continues; each child counts for itself.
func fork(times: Int) -> [String] {
    let allocating = (0..<3).map { _ in Thread { while !Thread.current.isCancelled { allocateOnce() } } }
    for thread in allocating { thread.start() }
    defer { for thread in allocating { thread.cancel() } }
    return (0..<times).map { _ in
        allocation_count_begin()
        let child = disk_log_fork()
        if child == 0 {
            // This is the child's only thread.
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
    // The first call also allocates Swift's metadata for these types.
    _ = counted(allocateByEveryCall)
    print(counted(allocateByEveryCall))
case "threads": print(allocateOnThreads(Int(arguments[2]) ?? 0))
case "today": for line in try await today(in: arguments[2]) { print(line) }
case "fork": for line in fork(times: Int(arguments[2]) ?? 0) { print(line) }
default: exit(64)
}

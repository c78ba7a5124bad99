// A separate process for the tests of the counters: its counts must be the same in each run. Not part of any product.

import Daybook
import Dispatch

let words = CommandLine.arguments.dropFirst()
let folder = words.dropFirst().first ?? ""
let rounds = Int(words.last ?? "") ?? 0
let counted = try CountedStore(in: folder, seed: rounds == 0 ? 7 : 8)
switch words.first {
case "fill": wait { try await counted.fill() }
case "count":
    print("hash", "any word".hashValue)
    wait { print(try await counted.run(rounds: rounds).joined(separator: "\n")) }
case "today": try counted.showToday(rounds)
case "create": try counted.create(rounds)
case "create-waiting": wait { try await counted.createWaiting(rounds) }
default: print("fill | count | today | create | create-waiting, then a folder, then rounds")
}

/// An asynchronous `main` would end its first thread in a way that valgrind 3.19 does not support (sigsuspend with a
/// mask in read-only memory).
func wait(_ work: @escaping @Sendable () async throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            try await work()
        } catch {
            print("failed: \(error)")
        }
        isDone.signal()
    }
    isDone.wait()
}

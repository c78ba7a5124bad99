import Daybook
import Foundation
import PerformanceTesting

// A gate of a few operations. The environment names what one of them does worse than before.
let defect = ProcessInfo.processInfo.environment["DEFECT"] ?? ""

/// Keeps the processor busy, so that a planted slowdown is as large on every machine as the work beside it.
@Sendable func sum(_ count: Int) -> Int {
    (0..<count).reduce(0) { ($0 &* 31) &+ $1 }
}

let store = PerformanceGate("diary", sizes: [50, 2000]) { store, size in
    try await store.tasks.create((0..<size).map { NewTask("Task \($0)", on: Day(year: 2027, month: 2, day: 1)) })
    try await store.tasks.create((0..<20).map { NewTask("Task \($0) of today", on: store.context.today) })
} operations: {
    GateOperation("create", budget: .milliseconds(500), requirement: "D-1", rounds: 20) { store, turn in
        try await store.tasks.create("Task \(turn)")
        if defect == "commit" { try await store.tasks.create("Another one of \(turn)") }
    }
    GateOperation("list of today", budget: .milliseconds(500), growth: 4, rounds: 20) { transaction, _ in
        _ = try transaction.tasks.today()
        if defect == "scan" { try transaction[TaskItem.self].forEach { _ in true } }
    }
    GateOperation("undo", budget: .milliseconds(500), rounds: 20) { store, turn in
        try await store.tasks.create("Task \(turn), created by mistake")
    } work: { store, _ in
        try await store.tasks.undo()
    }
}

let parser = PerformanceGate("parser") {
    GateOperation("parse", budget: .milliseconds(200), rounds: 20) { _, turn in
        let work = 20_000
        if sum(work) == turn || defect == "time" && sum(work / 2) == turn { print("a coincidence") }
    }
}

let files = PerformanceGate("files", sizes: [3]) { folder in
    folder
} filling: { folder, size in
    for number in 0..<size { try Data().write(to: URL(fileURLWithPath: "\(folder)/\(number)")) }
} operations: {
    GateOperation("append", budget: .milliseconds(500), rounds: 20) { folder, turn in
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(folder)/\(turn % 3)"))
        try file.seekToEnd()
        try file.write(contentsOf: Data("line \(turn % 10)\n".utf8))
        try file.synchronize()
        try file.close()
    }
}

switch ProcessInfo.processInfo.environment["GATE"] {
case "store": exit(await store.main())
case "files": exit(await files.main())
default: exit(await parser.main())
}

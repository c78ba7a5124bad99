// A process of its own for the tests of the counters: what it counts must be the same in each. Not part of any product.

import Daybook

let words = CommandLine.arguments.dropFirst()
let counted = try CountedStore(in: words.dropFirst().first ?? "")
switch words.first {
case "fill": try await counted.fill()
case "count": print(try await counted.run().joined(separator: "\n"))
case "today": for _ in 0..<(Int(words.last ?? "") ?? 0) { _ = try counted.daybook().tasks.today() }
case "create": try await counted.create(Int(words.last ?? "") ?? 0)
default: print("fill | count | today | create, then a folder, then rounds")
}

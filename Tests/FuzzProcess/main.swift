// Tests every reader with malformed files. Run by Scripts/fuzz and by a test; not part of any product.
// See Documentation/Fuzzing.md.

import Glibc

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "--worker", words.count >= 7, let reader = FuzzReader(words[1]), let seed = UInt64(words[2]),
    let first = Int(words[3]), let last = Int(words[4])
{
    if words.count > 7 { Plant.active = Plant(rawValue: words[7]) }
    let worker = Worker(
        reader: reader, seed: seed, range: first..<last, notes: open(words[5], O_WRONLY),
        deadline: Int(words[6]).map { .now + .seconds($0) })
    try await worker.run()
} else if let options = FuzzOptions(words) {
    if let replay = options.replay {
        exit(try await Replay.run(replay.reader, seed: replay.seed, number: replay.number) ? 0 : 1)
    }
    var supervisor = Supervisor(options)
    exit(try supervisor.run() ? 0 : 1)
} else {
    print(FuzzOptions.usage)
    exit(64)
}

import ArgumentParser
import CrashLab
import Daybook
import Simulation

/// `daybook simulate`
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "simulate", abstract: "Plays stories about time.")

    @Argument var files: [String] = []
    @Option var seed: UInt64 = 1
    @Option var runs = 1
    @Option var steps = 500
    @Flag var plain = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let clock = SystemClock()
        let start = clock.monotonic
        let simulator = plain ? Simulator() : Simulator(machine: RecordedMachine())
        var count = 0
        var coverage = Coverage()
        for seed in seed..<seed + UInt64(runs) {
            let result = try simulator.playRandom(seed: seed, steps: steps)
            count += result.story.events.count
            coverage.add(result.coverage)
            if let failure = result.story.failure {
                print(
                    "seed \(seed) step \(result.story.events.count): \(failure.subject)\n expected \(failure.expected)\n found \(failure.found)"
                )
                let small = try simulator.shrink(result.story)
                print(simulator.file(of: small))
                break
            }
        }
        let seconds = Double(clock.monotonic.microseconds(since: start)) / 1e6
        print("\(count) steps, \(seconds) s, \(Int(Double(count) / seconds)) a second")
        print(coverage.unreached)
    }
}

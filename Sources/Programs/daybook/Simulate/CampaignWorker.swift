import Daybook
import FoundationEssentials
import Simulation

/// Plays a share of a campaign and says what came of each seed, until one fails.
struct CampaignWorker {
    let plan: CampaignPlan
    let share: CampaignShare
    let writesTrace: Bool

    func run() throws {
        let player = StoryPlayer(
            scratch: share.folder, isPlain: plan.isPlain, isTwice: plan.isTwice, sabotage: plan.sabotage)
        for seed in stride(from: plan.firstSeed + share.place, to: plan.seeds.upperBound, by: share.count) {
            var line = WorkerLine(seed: seed)
            try say(line)
            let (story, coverage) = try player.playRandom(seed: seed, steps: plan.steps)
            // Before it is said that there is one.
            if writesTrace { try writeTrace(of: story, seed: seed) }
            line.run = SeedRun(story, coverage)
            try say(line)
            guard story.isGood else {
                line.run = nil
                line.scenario = try player.shortened(story)
                if line.scenario != nil { try say(line) }
                return
            }
        }
    }

    private func say(_ line: WorkerLine) throws {
        try Output.standard.write(Array(try JSONEncoder().encode(line)) + [0x0A])
    }

    private func writeTrace(of story: Story, seed: Int) throws {
        let file = try AtomicFile(path: share.tracePath(of: seed), overwrite: true)
        try file.write(TraceFile.bytes(of: story))
        try file.commit()
    }
}

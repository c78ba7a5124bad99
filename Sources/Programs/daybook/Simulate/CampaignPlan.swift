import Daybook
import Injection

/// Which random stories are to be played, and how.
struct CampaignPlan {
    let firstSeed: Int
    let runs: Int
    /// In each story.
    let steps: Int
    let isTwice: Bool
    let isPlain: Bool
    /// The rule of time that the stores are to break.
    let sabotage: InjectionPoint?

    var seeds: Range<Int> { firstSeed..<firstSeed + runs }

    /// What makes the campaign the same campaign again; its first line and its last.
    var headline: String {
        var words = ["simulate: seed \(firstSeed)", "commit \(BuiltCommit.current)", "\(runs) runs of \(steps) steps"]
        if isTwice { words.append("twice") }
        if isPlain { words.append("plain") }
        if let sabotage { words.append(sabotage.rawValue) }
        return words.joined(separator: ", ")
    }

    /// The command that plays one seed again.
    func replay(of seed: Int) -> String {
        "daybook simulate --seed \(seed) --steps \(steps)" + flags.map { " \($0)" }.joined()
    }

    /// What else a process has to know that plays a share of it.
    var arguments: [String] {
        ["--seed", "\(firstSeed)", "--runs", "\(runs)", "--steps", "\(steps)"] + flags
    }

    private var flags: [String] {
        (isTwice ? ["--twice"] : []) + (isPlain ? ["--plain"] : [])
            + (sabotage.map { ["--sabotage", $0.rawValue] } ?? [])
    }
}

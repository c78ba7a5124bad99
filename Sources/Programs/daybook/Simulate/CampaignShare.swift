import ArgumentParser

/// The part of a campaign that one process plays: every so manieth seed.
struct CampaignShare: ExpressibleByArgument {
    /// Its number among the processes, from 0.
    let place: Int
    /// How many processes there are.
    let count: Int
    /// Where it works, and leaves traces of stories.
    let folder: String

    init(place: Int, of count: Int, in folder: String) {
        self.place = place
        self.count = count
        self.folder = folder
    }

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, let place = Int(parts[0]), let count = Int(parts[1]),
            (0..<max(1, count)).contains(place)
        else { return nil }
        self.init(place: place, of: count, in: String(parts[2]))
    }

    var argument: String { "\(place):\(count):\(folder)" }

    func tracePath(of seed: Int) -> String { "\(folder)/\(seed).trace" }
}

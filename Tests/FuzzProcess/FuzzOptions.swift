/// What the command line says.
struct FuzzOptions {
    static let usage = """
        usage: fuzz [--runs N] [--seconds S] [--seed S] [--only READER] [--replay READER:SEED:NUMBER]
        Readers: \(FuzzReader.all.map(\.name).joined(separator: ", ")).
        """

    var runs = 1_000_000
    var seconds: Int?
    var seed: UInt64 = 1
    var only: FuzzReader?
    var replay: (reader: FuzzReader, seed: UInt64, number: Int)?

    /// Nil for words that mean nothing.
    init?(_ words: [String]) {
        var rest = words[...]
        var hasRuns = false
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--runs":
                guard let number = Int(value), number > 0 else { return nil }
                (runs, hasRuns) = (number, true)
            case "--seconds":
                guard let number = Int(value), number > 0 else { return nil }
                seconds = number
            case "--seed":
                guard let number = UInt64(value) else { return nil }
                seed = number
            case "--only":
                guard let reader = FuzzReader(value) else { return nil }
                only = reader
            case "--replay":
                let words = value.split(separator: ":").map(String.init)
                guard words.count == 3, let reader = FuzzReader(words[0]), let seed = UInt64(words[1]),
                    let number = Int(words[2])
                else { return nil }
                replay = (reader, seed, number)
            case "--plant":
                guard let plant = Plant(rawValue: value) else { return nil }
                Plant.active = plant
            default: return nil
            }
        }
        // A budget of time alone has no end of mutations.
        if seconds != nil, !hasRuns { runs = 1 << 40 }
    }
}

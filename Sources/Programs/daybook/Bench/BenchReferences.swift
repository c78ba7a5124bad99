import ArgumentParser

/// What a run of `bench` is compared with.
struct BenchReferences: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Compares what was counted with a file, in which every difference counts.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(
        help: ArgumentHelp("Writes what was counted to a file, to be the baseline from now on.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var writeBaseline: String?

    @Option(
        help: ArgumentHelp("Compares with another build of this program, in turn with it.", valueName: "program"),
        completion: .file())
    var against: String?

    var areGiven: Bool { baseline != nil || writeBaseline != nil || against != nil }
}

/// The options of the command line.
struct Options {
    /// The folder for stores. Each part removes its own files.
    private(set) var folder = "/tmp/daybook-peers"
    private(set) var isQuick = false
    /// The seed of the orders in which contestants run.
    private(set) var seed: UInt64
    private var only: String?
    /// The builds of `daybook` to compare with Taskwarrior and jrnl.
    private(set) var program: String?
    private(set) var staticProgram: String?
    /// The program `task`.
    private(set) var taskwarrior: String?
    /// The program `jrnl`.
    private(set) var jrnl: String?
    /// The file for the results.
    private(set) var results: String?
    /// Facts that only the script knows.
    private(set) var commit = "unknown"
    private(set) var compiler = "unknown"

    init(_ arguments: [String]) throws {
        seed = .random(in: 0..<1_000_000)
        var words = arguments[...]
        while let word = words.popFirst() {
            if word == "--quick" {
                isQuick = true
                continue
            }
            guard let value = words.popFirst() else { throw PeerFailure("\(word) needs a value") }
            switch word {
            case "--folder": folder = value
            case "--only": only = value
            case "--seed":
                guard let number = UInt64(value) else { throw PeerFailure("--seed needs a number") }
                seed = number
            case "--daybook": program = value
            case "--static": staticProgram = value
            case "--taskwarrior": taskwarrior = value
            case "--jrnl": jrnl = value
            case "--results": results = value
            case "--commit": commit = value
            case "--compiler": compiler = value
            default: throw PeerFailure("no option \(word)")
            }
        }
    }

    /// Whether snapshots and exports are compared, which need other stores and programs and have a separate results
    /// file.
    var isArchive: Bool { only == "archive" }

    /// Whether tasks are compared, for which stores of up to a million of them are made.
    var usesTasks: Bool { only != "journal" }

    /// Whether stores of a million tasks are compared as well.
    var usesLargeStore: Bool { usesTasks && only != "writers" }

    /// Whether a part of the work is selected.
    func runs(_ part: String) -> Bool { only == nil || only == part }
}

/// What the command line says.
struct Options {
    /// Where the stores are made. Everything in it is removed by who made it.
    private(set) var folder = "/tmp/daybook-peers"
    private(set) var isQuick = false
    private var only: String?
    /// The programs `daybook` to time against Taskwarrior.
    private(set) var program: String?
    private(set) var staticProgram: String?
    /// The program `task`.
    private(set) var taskwarrior: String?
    /// The file for the results.
    private(set) var results: String?
    /// What only the script knows.
    private(set) var commit = "unknown"
    private(set) var compiler = "unknown"

    init(_ arguments: [String]) throws {
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
            case "--daybook": program = value
            case "--static": staticProgram = value
            case "--taskwarrior": taskwarrior = value
            case "--results": results = value
            case "--commit": commit = value
            case "--compiler": compiler = value
            default: throw PeerFailure("no option \(word)")
            }
        }
    }

    /// Whether the run is the one of snapshots and exports, which has stores, programs and a file of results of its own.
    var isArchive: Bool { only == "archive" }

    /// Whether a part of the work is to be run.
    func runs(_ part: String) -> Bool { only == nil || only == part }
}

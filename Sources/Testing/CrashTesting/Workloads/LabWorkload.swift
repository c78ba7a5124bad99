import Injection
import KeyValue

/// A run that is recorded: what is there at first, and what is done.
struct LabWorkload: Sendable {
    /// What lies in the folder before.
    enum Base: String, CaseIterable, Sendable {
        /// Nothing: the first thing that happens is the creation of the store, in a folder that is not there either.
        case nothing
        /// A store of a few tasks.
        case small
        /// The same as a version without indexes would have left it: opening it derives all of them.
        case older
        /// What a creation leaves that died before its rename, to be cleared away by the next one.
        case abandoned
        /// What a creation leaves that died before the parent folder was flushed: the store is there, for now.
        case unflushed
    }

    var base = Base.small
    var steps: [LabStep] = []
    /// Derives everything again at the end.
    var rebuilds = false
    /// Imports a file at the end.
    var imports = false
    /// The address space the store begins with, small enough to be grown in a growth workload.
    var mapSize = 1 << 30
    var sabotage: InjectionPoint?

    /// `small:create,complete.7`: what a recipe says.
    var text: String {
        var words = steps.map(\.text)
        if rebuilds { words.append("rebuild") }
        if imports { words.append("import") }
        let size = mapSize == 1 << 30 ? "" : "/\(mapSize)"
        return "\(base.rawValue)\(size):\(words.joined(separator: ","))\(sabotage.map { "!\($0.rawValue)" } ?? "")"
    }

    init(
        base: Base = .small, steps: [LabStep] = [], rebuilds: Bool = false, imports: Bool = false,
        mapSize: Int = 1 << 30
    ) {
        self.base = base
        self.steps = steps
        self.rebuilds = rebuilds
        self.imports = imports
        self.mapSize = mapSize
    }

    init?(_ text: some StringProtocol) {
        let sabotaged = text.split(separator: "!", maxSplits: 1)
        guard let main = sabotaged.first else { return nil }
        if sabotaged.count == 2 {
            guard let sabotage = InjectionPoint(named: sabotaged[1], among: InjectionPoint.ofStore) else { return nil }
            self.sabotage = sabotage
        }
        let parts = main.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let head = parts[0].split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let name = head.first, let base = Base(rawValue: String(name)) else { return nil }
        self.base = base
        if head.count == 2 {
            guard let size = Int(head[1]), size > 0 else { return nil }
            mapSize = size
        }
        for word in parts[1].split(separator: ",") {
            if word == "rebuild" {
                rebuilds = true
            } else if word == "import" {
                imports = true
            } else {
                guard let step = LabStep(word) else { return nil }
                steps.append(step)
            }
        }
        // What no report would print is a slip of whoever copied it.
        guard self.text == text else { return nil }
    }
}

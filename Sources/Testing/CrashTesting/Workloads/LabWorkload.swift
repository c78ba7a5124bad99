import DomainPacks
import Injection
import KeyValue
import Records

/// A run to record: the initial content and the steps.
struct LabWorkload: Sendable {
    /// The initial content of the folder.
    enum Base: String, CaseIterable, Sendable {
        /// Nothing: the run begins by creating the store in a folder that does not exist either.
        case nothing
        /// A store of a few records.
        case small
        /// A store as a version without indexes left it: opening derives all of them.
        case older
        /// What a creation leaves that died before its rename; the next one removes it.
        case abandoned
        /// What a creation leaves that died before flushing the parent folder: the store exists for now.
        case unflushed
        /// A store of format 1, which is opened twice before the first step: only then it has a commit log.
        case formatOne
        /// That store after the first of these openings.
        case announced
    }

    var pack = LabPack.tasks
    var base = Base.small
    var steps: [LabStep] = []
    /// Rebuilds the store at the end.
    var rebuilds = false
    /// Imports a file at the end.
    var imports = false
    /// The initial map size, small enough to grow in a growth workload.
    var mapSize = 1 << 30
    /// Whether every write goes through the commit log.
    var isLogged = false
    /// Whether only those of other processes than the first do.
    var entersInPeersOnly = false
    var injectionPoint: InjectionPoint?

    private static let (loggedPrefix, loggedInPeersPrefix) = ("logged+", "logged-beside+")

    /// For example `small:create,complete.7` or `logged+garden@small:plant`, as in a reproducer.
    var text: String {
        var words = steps.map(\.text)
        if rebuilds { words.append("rebuild") }
        if imports { words.append("import") }
        let domain = pack == .tasks ? "" : "\(pack.rawValue)@"
        let size = mapSize == 1 << 30 ? "" : "/\(mapSize)"
        let broken = injectionPoint.map { "!\($0.name)" } ?? ""
        let mode = isLogged ? entersInPeersOnly ? Self.loggedInPeersPrefix : Self.loggedPrefix : ""
        return "\(mode)\(domain)\(base.rawValue)\(size):\(words.joined(separator: ","))\(broken)"
    }

    init(
        of pack: LabPack = .tasks, base: Base = .small, steps: [LabStep] = [], rebuilds: Bool = false,
        imports: Bool = false,
        mapSize: Int = 1 << 30
    ) {
        self.pack = pack
        self.base = base
        self.steps = steps
        self.rebuilds = rebuilds
        self.imports = imports
        self.mapSize = mapSize
    }

    init?(_ text: some StringProtocol) {
        entersInPeersOnly = text.hasPrefix(Self.loggedInPeersPrefix)
        let prefix = entersInPeersOnly ? Self.loggedInPeersPrefix : Self.loggedPrefix
        isLogged = text.hasPrefix(prefix)
        let unprefixed = String(text.dropFirst(isLogged ? prefix.count : 0))
        let withInjectedFault = unprefixed.split(separator: "!", maxSplits: 1)
        guard let main = withInjectedFault.first else { return nil }
        if withInjectedFault.count == 2 {
            guard let injectionPoint = InjectionPoint(named: withInjectedFault[1], among: InjectionPoint.ofStore) else {
                return nil
            }
            self.injectionPoint = injectionPoint
        }
        let parts = main.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let domain = parts[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        if domain.count == 2 {
            guard let pack = LabPack(rawValue: String(domain[0])), pack != .tasks else { return nil }
            self.pack = pack
        }
        let head = (domain.last ?? "").split(separator: "/", maxSplits: 1)
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
                guard let step = LabStep(word, of: pack.type) else { return nil }
                steps.append(step)
            }
        }
        // A text that no report would print contains a mistake.
        guard self.text == text else { return nil }
    }
}

extension LabWorkload {
    /// Returns the expected content after a number of transactions; nil after those of an import, and of processes that were
    /// killed, which the model does not cover.
    func model(after number: Int) -> LabModel? {
        var model = model(of: base)
        var done = 0
        for (index, step) in steps.enumerated() where done < number {
            guard let action = model.action(for: step, at: index + 1) else { continue }
            model.apply(action)
            done += 1
        }
        return imports && number > done || kills ? nil : model
    }

    /// Whether processes are killed in it.
    private var kills: Bool { steps.contains { $0.killedAt != nil } }

    /// Returns the content of the store that it begins with.
    func model(of base: Base) -> LabModel {
        var model = LabModel(of: pack.type)
        if ![.nothing, .abandoned, .unflushed].contains(base) { model.apply(pack.start) }
        return model
    }

    /// How the first process opens the store.
    var optionsOfFirst: StoreOptions {
        var options = options
        if entersInPeersOnly { options.commitLog = .never }
        return options
    }

    var options: StoreOptions {
        var options = StoreOptions()
        options.initialMapSize = mapSize
        options.injectionPoint = ArmedInjectionPoints(injectionPoint)
        // Checkpoints come after every second commit, so that short sequences have all turns; long ones also have pages that could
        // be used again before.
        options.commitLog = isLogged ? .always(checkpointPages: steps.count > 5 ? 8 : 2, logLength: 8 * 4096) : .never
        // Short sequences merge pending lists into their indexes, too.
        options.pendingListLimit = steps.count > 5 ? 4 : 2
        // Only its registered consumer keeps changes in the log.
        if pack == .garden, base == .small { options.retention = ChangeLogRetention(maximumBytes: 0) }
        return options
    }
}

extension LabWorkload {
    /// The workload through the commit log.
    var logged: LabWorkload {
        var logged = self
        logged.isLogged = true
        return logged
    }
}

extension CommitLogUse {
    /// Every write enters logged mode, and checkpoints come after every second commit, so that short sequences have all turns.
    static let ofLab = CommitLogUse.always(checkpointPages: 2, logLength: 8 * 4096)
}

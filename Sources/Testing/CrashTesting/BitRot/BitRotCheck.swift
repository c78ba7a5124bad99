import DomainPacks
import FoundationEssentials
import Glibc
import Injection
import KeyValue
import Records
import Tasks

/// What is done with a damaged store, in this order. Each stage may end the process, so a later one can start in a new
/// process.
enum BitRotStage: Int, CaseIterable, Comparable, Sendable {
    /// Whether LMDB itself returns anything different.
    case looking
    case verifying
    case reading
    case undoing
    case rebuilding
    /// Only for damage that readers cannot see: whether later writes corrupt the store.
    case writing

    var name: String { "\(self)" }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Examines damaged stores in a child process and reports their responses, without judging them.
struct BitRotCheck {
    let store: BitRotStore
    let undamaged: UndamagedContent
    let path: String
    let reporter: ChildReporter
    let injectionPoint: InjectionPoint?

    init(_ store: BitRotStore, in path: String, reporter: ChildReporter, injectionPoint: InjectionPoint?) throws {
        self.store = store
        self.path = path
        self.reporter = reporter
        self.injectionPoint = injectionPoint
        try store.write(nil, to: path)
        undamaged = try UndamagedContent(of: path)
    }

    /// Runs the stages for one damage, starting at `first`.
    func run(_ damage: PageDamage, from first: BitRotStage) throws {
        var isHarmless = false
        try store.write(damage, to: path)
        for stage in BitRotStage.allCases where stage >= first {
            switch stage {
            case .looking, .verifying: break
            case .reading, .undoing, .rebuilding: if isHarmless { continue }
            case .writing: guard isHarmless, mayMatterToWriters(damage) else { continue }
            }
            reporter.report("stage", stage.name)
            switch stage {
            case .looking: isHarmless = look()
            case .verifying: verify()
            case .reading: read()
            case .undoing: undo()
            case .rebuilding:
                try store.write(damage, to: path)
                rebuild()
            case .writing:
                write()
            }
        }
    }

    /// Damage that readers cannot see lies in no entry, so only bytes that locate pages can matter to writers.
    private func mayMatterToWriters(_ damage: PageDamage) -> Bool {
        guard case .flip(let page, let byte, _) = damage else { return true }
        switch store.map.kinds[page] {
        case .meta, .freeList: return true
        case .branch, .leaf, .overflow: return byte < TreePage.headerSize
        case .unused: return false
        }
    }

    /// A damaged length can make LMDB allocate all memory. With this limit the allocation fails instead.
    static func limitMemory() {
        var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }

    private func open(isReadOnly: Bool) throws -> LabStore {
        var options = StoreOptions(isReadOnly: isReadOnly, createIfMissing: false)
        options.injectionPoint = ArmedInjectionPoints(injectionPoint)
        return try LabStore(at: path, options: options)
    }

    /// Runs a closure that may throw the library's documented errors; reports any other error as untyped.
    private func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            if !(error is RecordsError || error is KeyValueError || error is TaskError) {
                reporter.report("untyped", "\(error)")
            }
            return nil
        }
    }

    // MARK: Stages

    private func look() -> Bool {
        guard let raw = try? RawContent(of: path) else {
            reporter.report("seen", "error")
            return false
        }
        let isSame = raw.digest == undamaged.raw.digest && raw.lost == 0
        let isEarlier = store.earlierStates.contains(raw.digest) && raw.lost == 0
        reporter.report("seen", isSame ? "same" : isEarlier ? "earlier" : "different")
        if isSame, raw.pageCounts != undamaged.raw.pageCounts { reporter.report("pages") }
        return isSame
    }

    private func verify() {
        do {
            let opened = try open(isReadOnly: true)
            defer { opened.close() }
            reporter.report("problem", try opened.problems().first ?? "")
        } catch {
            reporter.report("problem", "\(error)")
            reporter.report("closed")
        }
    }

    private func read() {
        guard let opened = attempt({ try open(isReadOnly: true) }) else { return }
        defer { opened.close() }
        var readable = 0
        for (id, task) in undamaged.tasks {
            guard let found = attempt({ try opened.tasks.get(id) }) else { continue }
            if found == task { readable += 1 }
            if let found, found != task { reporter.report("wrong", "task \(TaskAction.number(of: id)) by its id") }
            if found == nil { reporter.report("missing", "task \(TaskAction.number(of: id)) by its id") }
        }
        reporter.report("readable", "\(readable)")
        for id in undamaged.deleted {
            if case .some(.some) = attempt({ try opened.tasks.get(id) }) {
                reporter.report("wrong", "task \(TaskAction.number(of: id)) is deleted")
            }
        }
        for (name, readView) in UndamagedContent.views {
            guard let found = attempt({ try opened.tasks.read(readView) }) else { continue }
            compare(found, with: undamaged.views[name] ?? [], in: name)
        }
        for (name, readCount) in UndamagedContent.counts {
            guard let found = attempt({ try opened.store.read(readCount) }), let expected = undamaged.counts[name]
            else {
                continue
            }
            if found != expected { reporter.report("miscount", "\(name): \(found) instead of \(expected)") }
        }
    }

    /// Reports records of a view that are wrong, out of order or missing.
    private func compare(_ found: [TaskItem], with expected: [TaskItem], in view: String) {
        if found == expected { return }
        var rest = expected[...]
        for task in found {
            guard let place = rest.firstIndex(of: task) else {
                let isThere = expected.contains(task)
                return reporter.report(
                    "wrong",
                    "\(view): task \(TaskAction.number(of: task.id)) \(isThere ? "out of order" : "with wrong content")"
                )
            }
            rest = rest[(place + 1)...]
        }
        reporter.report("missing", "\(view): \(expected.count - found.count) tasks")
    }

    private func undo() {
        guard let opened = attempt({ try open(isReadOnly: false) }) else { return }
        defer { opened.close() }
        guard attempt({ try opened.perform(.undo) }) != nil else { return }
        for (id, task) in undamaged.tasksAfterUndo {
            guard case .some(.some(let found)) = attempt({ try opened.tasks.get(id) }) else { continue }
            if !found.hasSameContent(as: task) {
                return reporter.report("undone", "task \(TaskAction.number(of: id)) after an undo")
            }
        }
    }

    private func rebuild() {
        guard let opened = attempt({ try open(isReadOnly: false) }) else { return }
        defer { opened.close() }
        let before = undamaged.tasks.keys.filter { id in (try? opened.tasks.get(id)) ?? nil == undamaged.tasks[id] }
        let report: RebuildReport
        do {
            report = try opened.store.rebuild()
        } catch {
            return reporter.report("rebuilt", "refused")
        }
        reporter.report("rebuilt", report.isComplete ? "complete" : "with losses")
        do {
            // Where records are lost or outdated, two of them may contradict each other; the report has named them.
            let problems = try report.isComplete ? opened.problems() : opened.store.verify().problems
            if let problem = problems.first { return reporter.report("unrepaired", problem) }
            var listed: Set<UUID> = []
            for (_, readView) in UndamagedContent.views { listed.formUnion(try opened.tasks.read(readView).map(\.id)) }
            for id in report.isComplete ? Array(undamaged.tasks.keys) : before
            where try opened.tasks.get(id) != undamaged.tasks[id] || !listed.contains(id) {
                return reporter.report(
                    "unrepaired",
                    "task \(TaskAction.number(of: id)) differs, "
                        + (report.isComplete ? "and the report names no loss" : "although it could be read before"))
            }
        } catch {
            reporter.report("unrepaired", "\(error)")
        }
    }

    /// Writes enough to take free pages; the store must stay sound.
    private func write() {
        guard let opened = attempt({ try open(isReadOnly: false) }) else { return }
        defer { opened.close() }
        for number in 1...12 {
            guard attempt({ try opened.perform(.create((1 << 19) + number, on: nil, noteLength: 3000)) }) != nil else {
                return
            }
        }
        do {
            if let problem = try opened.problems().first { reporter.report("corrupted", problem) }
        } catch {
            reporter.report("corrupted", "\(error)")
        }
    }
}

extension TaskItem {
    /// Whether the visible content is equal: undo sets a new modification time and takes any free position.
    fileprivate func hasSameContent(as other: TaskItem) -> Bool {
        text == other.text && state == other.state && scheduledDate == other.scheduledDate && notes == other.notes
            && createdAt == other.createdAt && completedAt == other.completedAt
    }
}

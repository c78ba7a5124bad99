import FoundationEssentials
import Glibc
import Injection
import KeyValue
import Records
import Tasks

/// Looks at one damaged store after the other, in a child process, and says what each of them answers. Judges nothing.
struct BitRotCheck {
    let store: BitRotStore
    let truth: StoreTruth
    let path: String
    let voice: ChildVoice
    let sabotage: InjectionPoint?

    init(_ store: BitRotStore, in path: String, voice: ChildVoice, sabotage: InjectionPoint?) throws {
        self.store = store
        self.path = path
        self.voice = voice
        self.sabotage = sabotage
        try store.write(nil, to: path)
        truth = try StoreTruth(of: path)
    }

    /// Goes through the stages of one damage, from one on.
    func run(_ damage: PageDamage, from first: BitRotStage) throws {
        var isHarmless = false
        try store.write(damage, to: path)
        for stage in BitRotStage.allCases where stage >= first {
            switch stage {
            case .looking, .verifying: break
            case .reading, .undoing, .rebuilding: if isHarmless { continue }
            case .writing: guard isHarmless, mayMatterToWriters(damage) else { continue }
            }
            voice.say("stage", stage.name)
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

    /// What is harmless to readers lies in no entry, so that only what says where pages are can matter to writers.
    private func mayMatterToWriters(_ damage: PageDamage) -> Bool {
        guard case .flip(let page, let byte, _) = damage else { return true }
        switch store.map.kinds[page] {
        case .meta, .freeList: return true
        case .branch, .leaf, .overflow: return byte < LMDBPage.headerSize
        case .unused: return false
        }
    }

    /// A damaged length can make LMDB ask for all the memory there is. With this limit it hears that there is none.
    static func limitMemory() {
        var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }

    private func open(isReadOnly: Bool) throws -> LabStore {
        var options = StoreOptions(isReadOnly: isReadOnly, createIfMissing: false)
        options.injectionPoint = ArmedInjectionPoints(sabotage)
        return try LabStore(at: path, options: options)
    }

    /// Runs something that may throw what callers expect of the library; anything else is said to be untyped.
    private func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            if !(error is RecordsError || error is KeyValueError || error is TaskError) {
                voice.say("untyped", "\(error)")
            }
            return nil
        }
    }

    // MARK: Stages

    private func look() -> Bool {
        guard let raw = try? RawContent(of: path) else {
            voice.say("seen", "error")
            return false
        }
        let isSame = raw.digest == truth.raw.digest && raw.lost == 0
        let isEarlier = store.earlierStates.contains(raw.digest) && raw.lost == 0
        voice.say("seen", isSame ? "same" : isEarlier ? "earlier" : "different")
        if isSame, raw.pageCounts != truth.raw.pageCounts { voice.say("pages") }
        return isSame
    }

    private func verify() {
        do {
            let opened = try open(isReadOnly: true)
            defer { opened.close() }
            voice.say("problem", try opened.problems().first ?? "")
        } catch {
            voice.say("problem", "\(error)")
            voice.say("closed")
        }
    }

    private func read() {
        guard let opened = attempt({ try open(isReadOnly: true) }) else { return }
        defer { opened.close() }
        var readable = 0
        for (id, task) in truth.tasks {
            guard let found = attempt({ try opened.tasks.get(id) }) else { continue }
            if found == task { readable += 1 }
            if let found, found != task { voice.say("wrong", "task \(LabAction.number(of: id)) by its id") }
            if found == nil { voice.say("missing", "task \(LabAction.number(of: id)) by its id") }
        }
        voice.say("readable", "\(readable)")
        for id in truth.deleted {
            if case .some(.some) = attempt({ try opened.tasks.get(id) }) {
                voice.say("wrong", "task \(LabAction.number(of: id)) was deleted")
            }
        }
        for (name, readView) in StoreTruth.views {
            guard let found = attempt({ try opened.tasks.read(readView) }) else { continue }
            compare(found, with: truth.views[name] ?? [], in: name)
        }
        for (name, readCount) in StoreTruth.counts {
            guard let found = attempt({ try opened.store.read(readCount) }), let expected = truth.counts[name] else {
                continue
            }
            if found != expected { voice.say("miscount", "\(name): \(found) instead of \(expected)") }
        }
    }

    /// What a view shows must be what it showed, in the same order; what it lacks is said.
    private func compare(_ found: [TaskItem], with expected: [TaskItem], in view: String) {
        if found == expected { return }
        var rest = expected[...]
        for task in found {
            guard let place = rest.firstIndex(of: task) else {
                let isThere = expected.contains(task)
                return voice.say(
                    "wrong",
                    "\(view): task \(LabAction.number(of: task.id)) \(isThere ? "out of order" : "as it is not")")
            }
            rest = rest[(place + 1)...]
        }
        voice.say("missing", "\(view): \(expected.count - found.count) tasks")
    }

    private func undo() {
        guard let opened = attempt({ try open(isReadOnly: false) }) else { return }
        defer { opened.close() }
        guard attempt({ try opened.perform(.undo) }) != nil else { return }
        for (id, task) in truth.tasksAfterUndo {
            guard case .some(.some(let found)) = attempt({ try opened.tasks.get(id) }) else { continue }
            if !found.says(asMuchAs: task) {
                return voice.say("undone", "task \(LabAction.number(of: id)) after an undo")
            }
        }
    }

    private func rebuild() {
        guard let opened = attempt({ try open(isReadOnly: false) }) else { return }
        defer { opened.close() }
        let before = truth.tasks.keys.filter { id in (try? opened.tasks.get(id)) ?? nil == truth.tasks[id] }
        let report: RebuildReport
        do {
            report = try opened.store.rebuild()
        } catch {
            return voice.say("rebuilt", "refused")
        }
        voice.say("rebuilt", report.isComplete ? "whole" : "with losses")
        do {
            // Where records are lost or are old ones, two of them may contradict each other; the report has told of it.
            let problems = try report.isComplete ? opened.problems() : opened.store.verify().problems
            if let problem = problems.first { return voice.say("unmended", problem) }
            var listed: Set<UUID> = []
            for (_, readView) in StoreTruth.views { listed.formUnion(try opened.tasks.read(readView).map(\.id)) }
            for id in report.isComplete ? Array(truth.tasks.keys) : before
            where try opened.tasks.get(id) != truth.tasks[id] || !listed.contains(id) {
                return voice.say(
                    "unmended",
                    "task \(LabAction.number(of: id)) is not as it was, "
                        + (report.isComplete ? "and the report names no loss" : "though it could be read before"))
            }
        } catch {
            voice.say("unmended", "\(error)")
        }
    }

    /// Some writes take free pages; then nothing may be wrong.
    private func write() {
        guard let opened = attempt({ try open(isReadOnly: false) }) else { return }
        defer { opened.close() }
        for number in 1...12 {
            guard attempt({ try opened.perform(.create((1 << 19) + number, on: nil, noteLength: 3000)) }) != nil else {
                return
            }
        }
        do {
            if let problem = try opened.problems().first { voice.say("spoilt", problem) }
        } catch {
            voice.say("spoilt", "\(error)")
        }
    }
}

extension TaskItem {
    /// Whether it says the same to a person: undo gives it a new time of change, and the place that is left.
    fileprivate func says(asMuchAs other: TaskItem) -> Bool {
        text == other.text && state == other.state && scheduledDate == other.scheduledDate && notes == other.notes
            && createdAt == other.createdAt && completedAt == other.completedAt
    }
}

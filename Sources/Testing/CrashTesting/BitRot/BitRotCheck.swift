import Daybook
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
    /// Into a new store, which does not depend on any part of the old one.
    case salvaging
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
        undamaged = try UndamagedContent(of: path, store.pack)
    }

    /// Runs the stages for one damage, starting at `first`.
    func run(_ damage: PageDamage, from first: BitRotStage) throws {
        var isHarmless = false
        try store.write(damage, to: path)
        for stage in BitRotStage.allCases where stage >= first {
            switch stage {
            case .looking, .verifying, .salvaging: break
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
            case .salvaging:
                try store.write(damage, to: path)
                salvage(damage)
            case .writing:
                try store.write(damage, to: path)
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
        return try LabStore(at: path, of: store.pack, options: options)
    }

    /// Runs a closure that may throw the library's documented errors; reports any other error as untyped.
    private func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            if !(error is RecordsError || error is KeyValueError || error is TaskError || error is JournalError) {
                reporter.report("untyped", "\(error)")
            }
            return nil
        }
    }

    // MARK: Stages

    private func look() -> Bool {
        guard let raw = try? RawContent(of: path, store.pack) else {
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
        readRecords(of: opened)
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

    /// Reads every record of every domain by its key, and then in the order of the keys.
    private func readRecords(of opened: LabStore) {
        var readable = 0
        func name(_ record: UndamagedContent.RecordName) -> String {
            "a record of " + ((try? opened.store.read { $0.collectionName(of: record.collection) } ?? "") ?? "")
        }
        for (record, value) in undamaged.records {
            let read = attempt {
                try opened.store.read { try $0.storedBytes(ofKey: record.key, in: record.collection) }
            }
            guard let found = read else { continue }
            if found == value { readable += 1 }
            if let found, found != value { reporter.report("wrong", "\(name(record)) by its key") }
            if found == nil { reporter.report("missing", "\(name(record)) by its key") }
        }
        reporter.report("readable", "\(readable)")
        for collection in Set(undamaged.records.keys.map(\.collection)) {
            _ = attempt {
                try opened.store.read { transaction in
                    try transaction.forEachStored(in: collection) { key, value in
                        let record = UndamagedContent.RecordName(collection: collection, key: key)
                        if undamaged.records[record] != value { reporter.report("wrong", "\(name(record)) in order") }
                        return true
                    }
                }
            }
        }
        // Lines show counts as well, which a single read cannot check.
        if let lines = attempt({ try opened.lines() }), lines != undamaged.lines {
            reporter.report("miscount", "what the domain shows: \(Difference.between(undamaged.lines, lines))")
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
        func isThere(_ record: UndamagedContent.RecordName) -> Bool {
            let found = try? opened.store.read { try $0.storedBytes(ofKey: record.key, in: record.collection) }
            return found == undamaged.records[record]
        }
        let before = undamaged.records.keys.filter(isThere)
        let report: RebuildReport
        do {
            report = try opened.store.rebuild()
        } catch {
            return reporter.report("rebuilt", "refused")
        }
        reporter.report("rebuilt", report.isComplete ? "complete" : "with losses")
        do {
            // Where records are lost or outdated, two of them may contradict each other; the report has named them.
            // And what names a lost record stays, so that a person can decide: `verify` goes on reporting it.
            let problems =
                try report.isComplete
                ? opened.problems() : opened.store.verify().problems.filter { !$0.contains(": names a record of ") }
            if let problem = problems.first { return reporter.report("unrepaired", problem) }
            var listed: Set<UUID> = []
            for (_, readView) in UndamagedContent.views { listed.formUnion(try opened.tasks.read(readView).map(\.id)) }
            let all = report.isComplete ? Array(undamaged.records.keys) : before
            let isTask = { (record: UndamagedContent.RecordName) in record.collection == TaskItem.collection.number }
            for record in all where !isThere(record) || isTask(record) && !isListed(record, in: listed) {
                return reporter.report(
                    "unrepaired",
                    "a record differs, "
                        + (report.isComplete ? "and the report names no loss" : "although it could be read before"))
            }
            if report.isComplete, try opened.lines() != undamaged.lines {
                reporter.report("unrepaired", "what the domain shows differs, and the report names no loss")
            }
        } catch {
            reporter.report("unrepaired", "\(error)")
        }
    }

    private func salvage(_ damage: PageDamage) {
        let folder = "\(path)-salvaged"
        try? FileManager.default.removeItem(atPath: folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            var options = SalvageOptions()
            options.injectionPoint = ArmedInjectionPoints(injectionPoint)
            let report = try RecordStore.salvage(
                path, to: folder, schema: store.pack.schema, context: LabStore.context(), options: options)
            let saved = try LabStore(at: folder, of: store.pack, options: StoreOptions(createIfMissing: false))
            defer { saved.close() }
            reporter.report("untouched", "\(undamaged.untouched(by: damage))")
            reporter.report("salvaged", "\(try countSaved(in: saved))")
            if report.isComplete, try saved.lines() != undamaged.lines {
                reporter.report("salvageProblem", "what the domain shows differs, and the report names no loss")
            }
            // What names a lost record stays, so that a person can decide.
            let problems =
                try report.isComplete
                ? saved.problems() : saved.store.verify().problems.filter { !$0.contains(": names a record of ") }
            if let problem = problems.first { reporter.report("salvageProblem", problem) }
        } catch {
            reporter.report("salvageProblem", "refused: \(error)")
        }
    }

    /// How many records are there as they were. Reports each that is not as it was, or was never there.
    private func countSaved(in saved: LabStore) throws -> Int {
        var count = 0
        for collection in Set(undamaged.records.keys.map(\.collection)) {
            try saved.store.read { transaction in
                try transaction.forEachStored(in: collection) { key, value in
                    let record = UndamagedContent.RecordName(collection: collection, key: key)
                    if undamaged.records[record] == value {
                        count += 1
                    } else {
                        let name = transaction.collectionName(of: collection) ?? ""
                        reporter.report(
                            "salvageWrong",
                            undamaged.records[record] == nil
                                ? "a record of \(name) that was not there" : "an earlier version of a record of \(name)"
                        )
                    }
                    return true
                }
            }
        }
        return count
    }

    /// Whether a view has the task, if one of the undamaged store had it: archived and waiting ones are in none.
    private func isListed(_ record: UndamagedContent.RecordName, in listed: Set<UUID>) -> Bool {
        undamaged.views.values.joined().allSatisfy { $0.id.keyArray != record.key || listed.contains($0.id) }
    }

    /// Writes enough to take free pages; the store must stay valid.
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

import LabSupport

/// How many images of one point to try.
struct OutcomeLimits {
    /// Up to so many changes, every subset is tried.
    var exhaustive = 10
    /// Beyond, every subset of so many of the last.
    var recent = 6
    var samples = 24
    /// So many of the last writes are torn.
    var torn = 6
}

/// The images of a disk at its present point, as recipes without duplicates.
struct DiskOutcomes {
    /// An image, and how plausible it is: 0 is the most.
    struct Outcome {
        let recipe: ImageRecipe
        let priority: Int
    }

    private let disk: ProgramDisk
    private let event: TraceEvent
    private let isAfterFlush: Bool
    private let limits: OutcomeLimits
    /// The changes that are varied; those before are kept.
    let olderCount: Int
    private let count: Int
    /// For each change, itself with everything that it needs.
    private let closures: [ChangeSet]
    private var found: [ChangeSet: Int] = [:]
    private var order: [ChangeSet] = []

    init(_ disk: ProgramDisk, after event: TraceEvent, isAfterFlush: Bool, limits: OutcomeLimits) {
        self.disk = disk
        self.event = event
        self.isAfterFlush = isAfterFlush
        self.limits = limits
        olderCount = max(disk.pending.count - ChangeSet.capacity, 0)
        count = disk.pending.count - olderCount
        var closures: [ChangeSet] = []
        closures.reserveCapacity(count)
        for (index, change) in disk.pending[olderCount...].enumerated() {
            var set = ChangeSet()
            set.insert(index)
            for need in change.needs where !need.isDurable && need.index >= disk.pending.count - count {
                set.formUnion(closures[need.index - (disk.pending.count - count)])
            }
            closures.append(set)
        }
        self.closures = closures
    }

    mutating func all(_ random: inout SeededGenerator) -> [Outcome] {
        if disk.model == .killed { return outcomesOfKill() }
        putEssential()
        putSubsets(&random)
        var outcomes: [Outcome] = []
        for kept in order {
            let priority = found[kept, default: 2]
            outcomes.append(Outcome(recipe: recipe(kept), priority: priority))
            if disk.model == .posix { outcomes += sizes(kept, priority) }
        }
        if olderCount > 0 {
            outcomes.append(Outcome(recipe: recipe(ChangeSet(), keepsOlder: false), priority: 0))
        }
        return disk.model == .posix ? outcomes + tears() : outcomes
    }

    private func recipe(
        _ kept: ChangeSet, keepsOlder: Bool = true, tail: ImageRecipe.Tail = .cut, tear: ImageRecipe.Tear? = nil
    ) -> ImageRecipe {
        ImageRecipe(
            disk: disk.model, event: event.number, isAfterFlush: isAfterFlush, olderCount: olderCount,
            keepsOlder: keepsOlder, kept: kept, tail: tail, tear: tear)
    }

    /// Everything; and the beginnings of a long write, which a signal may end after any page.
    private func outcomesOfKill() -> [Outcome] {
        var outcomes = [Outcome(recipe: recipe(ChangeSet(0..<count)), priority: 0)]
        guard event.kind == .write, !event.isMapped, !isAfterFlush else { return outcomes }
        let pages = disk.pending.suffix(count).reversed().prefix { $0.event.number == event.number }.count
        for end in 1..<max(pages, 1) {
            outcomes.append(Outcome(recipe: recipe(ChangeSet(0..<count - end)), priority: 1))
        }
        return outcomes
    }

    // MARK: Complete changes

    private mutating func put(_ kept: ChangeSet, _ priority: Int) {
        if found.updateValue(min(found[kept] ?? priority, priority), forKey: kept) == nil { order.append(kept) }
    }

    /// Adds to a set what it needs.
    private func closed(_ set: ChangeSet) -> ChangeSet {
        var result = ChangeSet()
        for index in 0..<count where set.contains(index) { result.formUnion(closures[index]) }
        return result
    }

    /// Everything that does not need one of a set.
    private func without(_ set: ChangeSet) -> ChangeSet {
        var result = ChangeSet()
        for index in 0..<count where closures[index].isDisjoint(with: set) { result.insert(index) }
        return result
    }

    /// All, none, each prefix, all bytes of a file, all names of a folder, each change alone.
    private mutating func putEssential() {
        put(ChangeSet(0..<count), 0)
        put(ChangeSet(), 0)
        for end in 0..<count { put(closed(ChangeSet(0..<end)), 0) }
        var groups: [[Int]: ChangeSet] = [:]
        for (index, change) in disk.pending[olderCount...].enumerated() {
            let kind = change.isWrite ? 1 : 0
            groups[[kind, change.isWrite ? change.file : change.folder ?? -1], default: ChangeSet()].insert(index)
            groups[[kind], default: ChangeSet()].insert(index)
        }
        for key in groups.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let group = groups[key] else { continue }
            put(without(group), 0)
            put(closed(group), 0)
        }
        for index in 0..<count {
            var one = ChangeSet()
            one.insert(index)
            put(without(one), 1)
            put(closures[index], 1)
        }
    }

    private mutating func putSubsets(_ random: inout SeededGenerator) {
        guard count > limits.exhaustive else {
            for mask in 0..<1 << count { put(closed(subset(mask, from: 0)), 1) }
            return
        }
        let first = count - limits.recent
        for mask in 0..<1 << limits.recent {
            let recent = subset(mask, from: first)
            var kept = ChangeSet(0..<first)
            kept.formUnion(recent)
            put(closed(kept), 1)
            put(closed(recent), 2)
        }
        for _ in 0..<limits.samples {
            let density = random.number(below: 1000)
            var kept = ChangeSet()
            for index in 0..<count where random.number(below: 1000) < density { kept.insert(index) }
            put(closed(kept), 2)
        }
    }

    private func subset(_ mask: Int, from first: Int) -> ChangeSet {
        var set = ChangeSet()
        var rest = mask
        while rest != 0 {
            set.insert(first + rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        return set
    }

    // MARK: Sizes and torn writes

    /// Sizes that reached the disk without the bytes.
    private func sizes(_ kept: ChangeSet, _ priority: Int) -> [Outcome] {
        let changes = disk.pending[olderCount...]
        let lost = changes.enumerated().filter { $0.element.extends && !kept.contains($0.offset) }.map {
            $0.offset + olderCount
        }
        guard let last = lost.last else { return [] }
        let some = lost.count <= 4 ? Array(lost.dropLast()) : [lost[0], lost[lost.count / 2]]
        return [Outcome(recipe: recipe(kept, tail: .zeros(through: last)), priority: max(priority, 1))]
            + some.map { Outcome(recipe: recipe(kept, tail: .zeros(through: $0)), priority: 2) }
    }

    private func tears() -> [Outcome] {
        let writes = disk.pending.indices.suffix(count).filter { disk.pending[$0].sectors.count > 1 }
        var outcomes: [Outcome] = []
        for index in writes.suffix(limits.torn) {
            let sectors = disk.pending[index].sectors.count
            var one = ChangeSet()
            one.insert(index - olderCount)
            var needed = closures[index - olderCount]
            needed.remove(index - olderCount)
            for written in Set([1, sectors / 2, sectors - 1]).sorted() where written > 0 {
                for isFromStart in [true, false] {
                    let tear = ImageRecipe.Tear(change: index, sectors: written, isFromStart: isFromStart)
                    outcomes.append(Outcome(recipe: recipe(without(one), tear: tear), priority: 1))
                    outcomes.append(Outcome(recipe: recipe(needed, tear: tear), priority: 2))
                }
            }
        }
        return outcomes
    }
}

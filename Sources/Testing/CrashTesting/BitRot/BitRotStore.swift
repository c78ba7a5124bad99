import CivilTime
import DiskImages
import DiskRecording
import DomainPacks
import FoundationEssentials
import KeyValue
import LabSupport

/// The store that is damaged. That of tasks has about 600 in every state on several days, completions, tombstones, overflow
/// values, history and free pages, so that every kind of page occurs; that of another domain what its operations make.
struct BitRotStore: Sendable {
    let seed: UInt64
    let pack: LabPack
    let image: FileContent
    let map: PageMap
    /// The data file as it was so many transactions earlier.
    private let earlier: [Int: FileContent]
    /// The data file of another store of the same shape.
    private let foreign: FileContent
    /// `store.json`.
    private let manifest: [UInt8]
    /// Digests of the content after each transaction but the last.
    let earlierStates: Set<UInt64>

    static let ages = [1, 8, 40]

    init(seed: UInt64, of pack: LabPack, scratch: String, pool: ChildPool) throws {
        self.seed = seed
        self.pack = pack
        let own = try Self.build(seed: seed, of: pack, in: "\(scratch)/rot-base", pool)
        image = own.image
        map = PageMap(own.image)
        earlier = own.earlier
        manifest = own.manifest
        earlierStates = own.states
        foreign = try Self.build(seed: ~seed, of: pack, in: "\(scratch)/rot-base", pool).image
    }

    /// Writes the store, damaged unless `damage` is nil, into a folder.
    func write(_ damage: PageDamage?, to folder: String) throws {
        let content = damage.map(damaged) ?? image
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: "\(folder)/lock.mdb")
        try FolderFiles.write(manifest, to: "\(folder)/store.json")
        try FolderFiles.write(content.bytes, to: "\(folder)/data.mdb")
    }

    private func damaged(_ damage: PageDamage) -> FileContent {
        var content = image
        func page(_ number: Int, of file: FileContent) -> Page {
            file.pages.indices.contains(number) ? file.pages[number] : .zero
        }
        guard content.pages.indices.contains(damage.page) else { return content }
        switch damage {
        case .flip(let number, let byte, let bit):
            var bytes = page(number, of: image).bytes
            bytes[byte] ^= 1 << UInt8(bit)
            content.put(Page(bytes), at: number)
        case .swap(let first, let second):
            content.put(page(second, of: image), at: first)
            content.put(page(first, of: image), at: second)
        case .old(let number, let age):
            if let earlier = earlier[age] { content.put(page(number, of: earlier), at: number) }
        case .foreign(let number): content.put(page(number, of: foreign), at: number)
        case .zeros(let number): content.put(.zero, at: number)
        }
        return content
    }

    // MARK: Damage

    /// Returns damage number `number` of the sequence. Three of four are flipped bits.
    func damage(_ number: Int) -> PageDamage {
        var draws = SeededGenerator(seed: SeededGenerator.mix(seed) &+ UInt64(number))
        guard number % 4 == 3 else { return flip(&draws) }
        for _ in 0..<100 {
            let damage = replacement(kind: number / 4 % 4, &draws)
            if damaged(damage) != image { return damage }
        }
        return flip(&draws)
    }

    private func flip(_ draws: inout SeededGenerator) -> PageDamage {
        let page = page(&draws)
        // Headers are small but control much, so they are hit more often.
        let byte = draws.number(below: 4) == 0 ? draws.number(below: 160) : draws.number(below: Page.size)
        return .flip(page: page, byte: byte, bit: draws.number(below: 8))
    }

    private func replacement(kind: Int, _ draws: inout SeededGenerator) -> PageDamage {
        let page = page(&draws)
        switch kind {
        case 0: return .swap(page, self.page(&draws))
        case 1: return .old(page: page, age: Self.ages[draws.number(below: Self.ages.count)])
        case 2: return .foreign(page: page)
        default: return .zeros(page: page)
        }
    }

    /// Picks one page of ten uniformly, the others by kind, so that rare kinds are hit.
    private func page(_ draws: inout SeededGenerator) -> Int {
        let weighted: [PageMap.Kind] = [.leaf, .leaf, .leaf, .leaf, .branch, .branch, .overflow, .meta, .freeList]
        let draw = draws.number(below: weighted.count + 1)
        let pages = draw < weighted.count ? map.pages(of: weighted[draw]) : []
        return pages.isEmpty ? draws.number(below: map.kinds.count) : pages[draws.number(below: pages.count)]
    }

    /// Whether a damage brings back bytes that were valid at another time, with valid checksums. A single read cannot
    /// detect that they are outdated.
    func bringsStaleData(_ damage: PageDamage) -> Bool {
        switch damage {
        case .old, .foreign: true
        case .swap(let first, let second): map.kinds[first] == .unused || map.kinds[second] == .unused
        case .flip, .zeros: false
        }
    }

    /// Returns a bit flip inside a value: a store that ignores checksums returns it as data.
    func valueFlip(_ number: Int) -> PageDamage {
        var draws = SeededGenerator(seed: SeededGenerator.mix(seed) &+ UInt64(number))
        while true {
            let damage = flip(&draws)
            if case .flip(let page, let byte, _) = damage, map.isInsideValue(page: page, byte: byte) { return damage }
        }
    }

    /// Returns a page of entries that became zeros: a salvage that takes any copy of its records returns outdated ones.
    func lostLeaf(_ number: Int) -> PageDamage {
        var draws = SeededGenerator(seed: SeededGenerator.mix(seed) &+ UInt64(number))
        let leaves = map.pages(of: .leaf)
        return .zeros(page: leaves[draws.number(below: leaves.count)])
    }

    // MARK: Building

    private struct Built {
        var image: FileContent
        var earlier: [Int: FileContent] = [:]
        var manifest: [UInt8]
        var states: Set<UInt64>
    }

    private static func build(
        seed: UInt64, of pack: LabPack, in folder: String, _ pool: ChildPool
    ) throws -> Built {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/store"
        let ending = try pool.run { _, reporter in
            DiskLog.detach()
            try make(steps(seed: seed, of: pack), of: pack, at: path, savingEarlierTo: folder, reporter)
        }
        if let failure = ending.failure { throw CrashLabError.workloadFailed("bit rot", failure) }
        func content(_ file: String) throws -> FileContent {
            guard let bytes = FolderFiles.bytes(of: file) else {
                throw CrashLabError.system(operation: "read \(file)", code: 0)
            }
            return FileContent(bytes)
        }
        var built = Built(
            image: try content("\(path)/data.mdb"), manifest: FolderFiles.bytes(of: "\(path)/store.json") ?? [],
            states: Set(ending.values(of: "state").compactMap { UInt64($0) }))
        for age in ages { built.earlier[age] = try content("\(folder)/earlier-\(age)") }
        return built
    }

    /// Returns steps that first fill the pages, then change entries all over them.
    private static func steps(seed: UInt64, of pack: LabPack) -> [LabStep] {
        guard pack == .tasks else {
            return pack.start + LongWorkloads.steps(of: pack.type, 300, SeededRandomSource(seed: seed))
        }
        var draws = SeededGenerator(seed: seed)
        func some(_ count: Int, _ operations: [LabOperation]) -> [LabStep] {
            (0..<count).map { _ in
                LabStep(operations[draws.number(below: operations.count)], draw: draws.number(below: 20_000))
            }
        }
        return some(13, [.bulk]) + some(15, [.importing]) + some(8, [.large])
            + some(
                110, [.create, .complete, .complete, .schedule, .schedule, .reorder, .delete, .reopen, .undo, .pair])
            + some(6, [.complete, .schedule, .create])
    }

    private static func make(
        _ steps: [LabStep], of pack: LabPack, at path: String, savingEarlierTo folder: String,
        _ reporter: ChildReporter
    ) throws {
        var model = LabModel(of: pack.type)
        var store = try LabStore(at: path, of: pack)
        for (index, step) in steps.enumerated() {
            let left = steps.count - index
            if ages.contains(left) {
                try FolderFiles.write(FolderFiles.bytes(of: "\(path)/data.mdb") ?? [], to: "\(folder)/earlier-\(left)")
            }
            if left <= 60 {
                store.close()
                reporter.report("state", "\(try RawContent(of: path, pack).digest)")
                store = try LabStore(at: path, of: pack)
            }
            // Of tasks two hours each, so that completions fall on many days; the last is at the start of all workloads.
            let moment = (1 - left) * (pack == .tasks ? 7200 : 1)
            guard let action = model.action(for: step, at: moment) else { continue }
            store.setStep(moment)
            try store.perform(action)
            model.apply(action)
        }
        store.setStep(0)
        // The last line of tasks counts the completions of one day only.
        let (lines, expected) = (try store.lines(), model.lines)
        let isEqual = pack == .tasks ? lines.dropLast() == expected.dropLast() : lines == expected
        guard isEqual else { throw CrashLabError.modelMismatch("bit rot of \(pack)") }
        if let problem = try store.problems().first { throw CrashLabError.workloadFailed("bit rot", problem) }
        store.close()
    }
}

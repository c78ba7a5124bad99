/// The pages of an LMDB data file that LMDB can come to from its newer meta page.
struct LMDBReach {
    private let pages: [Page]
    private let lastPage: Int
    private var isReached: [Bool]
    private var waiting: [Int] = []
    private var running = RunningDigest(seed: 4)

    /// How many pages there are, with both meta pages.
    private(set) var count = 0
    var digest: UInt64 { running.value }

    /// Nil when there is anything that LMDB could trip over.
    init?(_ file: FileContent) {
        pages = file.pages
        guard pages.count >= 2, case .meta(let firstRoots, let firstLast, let first) = pages[0].asLMDBPage.kind,
            case .meta(let secondRoots, let secondLast, let second) = pages[1].asLMDBPage.kind
        else { return nil }
        // As LMDB chooses: the first one, unless the second one is newer.
        lastPage = first < second ? secondLast : firstLast
        isReached = Array(repeating: false, count: pages.count)
        running.mix(file.length)
        guard reach(0), reach(1) else { return nil }
        waiting = first < second ? secondRoots : firstRoots
        while let next = waiting.popLast() {
            guard visit(next) else { return nil }
        }
    }

    private mutating func visit(_ number: Int) -> Bool {
        guard reach(number), case .tree(let links) = pages[number].asLMDBPage.kind else { return false }
        waiting += links.trees
        for run in links.runs {
            guard reach(run.first), case .overflow(let count) = pages[run.first].asLMDBPage.kind,
                LMDBPage.headerSize + run.byteCount <= count * Page.size, count <= pages.count
            else { return false }
            for other in run.first + 1..<run.first + count {
                guard reach(other) else { return false }
            }
        }
        return true
    }

    /// False for a page that is not there, or that something else leads to as well.
    private mutating func reach(_ number: Int) -> Bool {
        guard number <= lastPage, number < pages.count, !isReached[number] else { return false }
        isReached[number] = true
        count += 1
        running.mix(number)
        running.mix(pages[number].hash)
        return true
    }
}

extension DiskImage {
    /// A digest of what LMDB can come to in a data file, and of its length. The digest of the whole file when LMDB could
    /// trip over it; nil when there is none. Costs some ten nanoseconds a page that is reached.
    func meaning(of dataFile: String) -> UInt64? {
        files[dataFile].map(Self.meaning)
    }

    /// The same for two images when a store in them opens alike: data files by what they mean, others by their bytes, and
    /// lock files not at all.
    func imageDigest() -> UInt64 {
        digest { path, content in
            switch Self.name(of: path) {
            case "data.mdb": Self.meaning(of: content)
            case "lock.mdb": nil
            default: content.digest
            }
        }
    }

    private static func meaning(of file: FileContent) -> UInt64 {
        LMDBReach(file)?.digest ?? file.digest
    }
}

import LabSupport

/// Equal images with equal acknowledgments are checked once.
struct ImageKey: Hashable, Sendable {
    let digest: UInt64
    let acknowledged: Int
}

/// An image to check.
struct ExploredImage: Sendable {
    let recipe: ImageRecipe
    let acknowledged: Int
    let priority: Int
    /// How many pending changes it loses.
    let lost: Int
}

/// The distinct images of a recording on one disk.
struct ImageExplorer {
    let recording: ProgramRecording
    var limits = OutcomeLimits()
    let seed: UInt64
    /// About so many images are kept; beyond, only the most plausible are.
    var imagesMax = 100_000
    var isIgnored: @Sendable (TraceEvent) -> Bool = { _ in false }
    /// Selects images.
    var isWanted: (DiskMoments.Moment, ImageRecipe) -> Bool = { _, _ in true }

    struct Result {
        var points = 0
        var images = 0
        /// The images that no earlier disk had.
        var new: [ImageKey: ExploredImage] = [:]
        /// Those that an earlier disk had, too.
        var known: Set<ImageKey> = []
        /// Whether images were left out.
        var isCut = false
    }

    /// Enumerates the images.
    ///
    /// - Parameters:
    ///   - isKnown: whether an earlier disk had an image.
    ///   - shouldContinue: called at each point; when it returns false, the rest is left out.
    func explore(
        _ model: DiskModel, isKnown: (ImageKey) -> Bool = { _ in false }, shouldContinue: () throws -> Bool = { true }
    ) rethrows -> Result {
        var result = Result()
        var random = SeededGenerator(seed: seed)
        let disk = ProgramDisk(model, of: recording, ignoring: isIgnored)
        var base = ImageBase()
        var moments = DiskMoments(disk, recording.events)
        while let moment = moments.next() {
            guard try shouldContinue() else {
                result.isCut = true
                break
            }
            result.points += 1
            var outcomes = DiskOutcomes(disk, after: moment.event, isAfterFlush: moment.isAfterFlush, limits: limits)
            let older = base.tree(of: disk, count: outcomes.olderCount)
            for outcome in outcomes.all(&random) where isWanted(moment, outcome.recipe) {
                if result.new.count > imagesMax, outcome.priority > 0 || result.new.count > 2 * imagesMax {
                    result.isCut = true
                    continue
                }
                result.images += 1
                let recipe = outcome.recipe
                let tree = disk.image(recipe, base: recipe.keepsOlder ? older : nil)
                let key = ImageKey(digest: tree.digest(), acknowledged: moment.acknowledged)
                if isKnown(key) {
                    result.known.insert(key)
                    continue
                }
                let varied = disk.pending.count - recipe.olderCount
                let lost = varied - recipe.kept.count + (recipe.keepsOlder ? 0 : recipe.olderCount)
                if let former = result.new[key], (former.priority, former.lost) <= (outcome.priority, lost) { continue }
                result.new[key] = ExploredImage(
                    recipe: recipe, acknowledged: moment.acknowledged, priority: outcome.priority, lost: lost)
            }
        }
        return result
    }

    /// Rebuilds images in the order of the recording.
    func forEach(
        _ images: [ImageKey: ExploredImage], _ body: (ImageKey, ExploredImage, FolderTree) throws -> Void
    ) rethrows {
        let byDisk = Dictionary(grouping: images, by: \.value.recipe.disk)
        for (model, images) in byDisk.sorted(by: { $0.key < $1.key }) {
            var byPoint: [Int: [(ImageKey, ExploredImage)]] = [:]
            for (key, image) in images {
                byPoint[image.recipe.event * 2 + (image.recipe.isAfterFlush ? 1 : 0), default: []].append((key, image))
            }
            let disk = ProgramDisk(model, of: recording, ignoring: isIgnored)
            var base = ImageBase()
            var moments = DiskMoments(disk, recording.events)
            while let moment = moments.next() {
                let point = byPoint[moment.event.number * 2 + (moment.isAfterFlush ? 1 : 0)] ?? []
                let ordered = point.sorted {
                    ($0.1.priority, $0.1.lost, $0.0.digest) < ($1.1.priority, $1.1.lost, $1.0.digest)
                }
                guard let count = ordered.first?.1.recipe.olderCount else { continue }
                let older = base.tree(of: disk, count: count)
                for (key, image) in ordered {
                    try body(key, image, disk.image(image.recipe, base: image.recipe.keepsOlder ? older : nil))
                }
            }
        }
    }

    /// Leads a disk to the point of a recipe; nil if there is none.
    func disk(at recipe: ImageRecipe) -> (disk: ProgramDisk, acknowledged: Int)? {
        let disk = ProgramDisk(recipe.disk, of: recording, ignoring: isIgnored)
        var moments = DiskMoments(disk, recording.events)
        while let moment = moments.next() {
            if moment.event.number == recipe.event, moment.isAfterFlush == recipe.isAfterFlush {
                return (disk, moment.acknowledged)
            }
        }
        return nil
    }
}

/// The durable content with the first pending changes, which most images of many pending changes keep. It grows with the disk.
private struct ImageBase {
    private var tree: FolderTree?
    private var count = 0
    private var flushCount = 0

    /// Returns the content with so many changes; nil for none.
    mutating func tree(of disk: ProgramDisk, count wanted: Int) -> FolderTree? {
        guard wanted > 0 else { return nil }
        if tree == nil || flushCount != disk.flushCount || count > wanted
            || tree?.nodes.count != disk.durable.nodes.count
        {
            (tree, count, flushCount) = (disk.durable, 0, disk.flushCount)
        }
        guard var grown = tree.take() else { return nil }
        for change in disk.pending[count..<wanted] { change.apply(to: &grown) }
        count = wanted
        tree = grown
        return grown
    }
}

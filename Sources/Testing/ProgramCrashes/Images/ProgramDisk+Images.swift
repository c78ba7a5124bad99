import DiskImages

extension ProgramDisk {
    /// Returns the tree that a recipe describes; its point is this disk's present one.
    ///
    /// - Parameter base: the durable content with the older changes, if they are kept and it is at hand.
    func image(_ recipe: ImageRecipe, base: FolderTree? = nil) -> FolderTree {
        var tree = base ?? durable
        for (index, change) in pending.enumerated().dropFirst(base == nil ? 0 : recipe.olderCount) {
            if let tear = recipe.tear, tear.change == index {
                apply(change, tear, recipe.tail, to: &tree)
            } else if recipe.keeps(index) {
                change.apply(to: &tree)
            } else if change.isWrite, case .zeros(let through) = recipe.tail, index <= through {
                extend(&tree, change)
            }
        }
        return tree
    }

    private func extend(_ tree: inout FolderTree, _ change: PendingChange) {
        if tree.nodes[change.file].content.length < change.range.upperBound {
            tree.nodes[change.file].content.resize(to: change.range.upperBound)
        }
    }

    private func apply(
        _ change: PendingChange, _ tear: ImageRecipe.Tear, _ tail: ImageRecipe.Tail, to tree: inout FolderTree
    ) {
        guard case .write(let offset, let bytes) = change.kind else { return }
        let sectors = change.sectors
        let written =
            tear.isFromStart
            ? sectors.lowerBound..<sectors.lowerBound + tear.sectors
            : sectors.upperBound - tear.sectors..<sectors.upperBound
        let size = PendingChange.sectorSize
        let range = (written.lowerBound * size..<written.upperBound * size).clamped(to: change.range)
        let start = bytes.startIndex - offset
        tree.nodes[change.file].content.write(
            bytes[start + range.lowerBound..<start + range.upperBound], at: range.lowerBound)
        if tail != .cut { extend(&tree, change) }
    }
}

extension PendingChange {
    static let sectorSize = 512

    /// The sectors that a write touches.
    var sectors: Range<Int> {
        range.isEmpty
            ? 0..<0 : range.lowerBound / Self.sectorSize..<(range.upperBound - 1) / Self.sectorSize + 1
    }
}

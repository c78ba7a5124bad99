extension DiskHistory {
    /// The disk as a recipe says. What it says of units that are not there does not count, nor that an exchange is lost
    /// of which the disk has kept what came later of the same names: an exchange is one step of a file system's journal,
    /// and no name may be lost by half of it.
    func image(_ recipe: ImageRecipe) -> DiskImage {
        var disk = CrashedDisk(durable, tail: recipe.tail)
        let exchanges = exchanges(keptBy: recipe)
        for (index, unit) in units.enumerated() {
            if let tear = recipe.tears[index], let write = unit.write {
                disk.tear(write, tear)
            } else if recipe.kept.contains(index) || exchanges.contains(index) {
                disk.keep(unit.change)
            } else if let write = unit.write {
                disk.lose(write)
            }
        }
        return disk.tree.image
    }

    private func exchanges(keptBy recipe: ImageRecipe) -> Set<Int> {
        var kept: Set<Int> = []
        for (index, unit) in units.enumerated().reversed() where unit.change.isExchange {
            let isTakenAlong = units.indices[(index + 1)...].contains { later in
                (recipe.kept.contains(later) || kept.contains(later)) && units[later].change.isBound(to: unit.change)
            }
            if isTakenAlong { kept.insert(index) }
        }
        return kept
    }
}

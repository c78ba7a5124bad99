extension DiskHistory {
    /// The disk as a recipe says. What it says of units that are not there does not count.
    func image(_ recipe: ImageRecipe) -> DiskImage {
        var disk = CrashedDisk(durable, tail: recipe.tail)
        for (index, unit) in units.enumerated() {
            if let tear = recipe.tears[index], let write = unit.write {
                disk.tear(write, tear)
            } else if recipe.kept.contains(index) {
                disk.keep(unit.change)
            } else if let write = unit.write {
                disk.lose(write)
            }
        }
        return disk.tree.image
    }
}

/// Describes an image in words.
enum ImageDescription {
    private static let callsShown = 12

    static func example(
        of recipe: ImageRecipe, in explorer: ImageExplorer, kind: String, text: String, prefix: String = ""
    ) -> ProgramCrashReport.Example? {
        guard let (disk, acknowledged) = explorer.disk(at: recipe) else { return nil }
        var lost: [String] = []
        for (index, change) in disk.pending.enumerated()
        where !recipe.keeps(index) && recipe.tear?.change != index && !change.isAllocation {
            if !lost.contains(change.words) { lost.append(change.words) }
        }
        let calls = explorer.recording.events.prefix { $0.number <= recipe.event }
            .filter { $0.isCrashPoint || $0.isFlush }.map(\.words)
        return ProgramCrashReport.Example(
            kind: kind, text: text, reproducer: prefix + recipe.description, after: calls.last ?? "the start",
            acknowledged: acknowledged, lost: lost, detail: detail(recipe, disk), calls: calls.suffix(callsShown))
    }

    private static func detail(_ recipe: ImageRecipe, _ disk: ProgramDisk) -> String {
        var details: [String] = []
        if let tear = recipe.tear, disk.pending.indices.contains(tear.change) {
            let end = tear.isFromStart ? "first" : "last"
            details.append("\(disk.pending[tear.change].words): only the \(end) \(tear.sectors) sectors of 512 bytes")
        }
        if case .zeros = recipe.tail { details.append("the sizes of lost writes, with zeros") }
        return details.joined(separator: "; ")
    }
}

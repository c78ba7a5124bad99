/// What the lab has tried so far, by kind.
final class Coverage {
    private(set) var counts: [String: [String: Int]] = [:]
    /// Images that were put together.
    var imagesBuilt = 0
    /// Those of them that differ from every other in some byte.
    var imagesDifferent = 0
    /// Those that were opened and judged.
    var imagesOpened = 0
    /// Images whose recovery was crashed at each of its calls, and the images which that left.
    var recoveriesInterrupted = 0
    var imagesOfRecoveries = 0

    func count(_ group: String, _ name: String, _ number: Int = 1) {
        counts[group, default: [:]][name, default: 0] += number
    }
}

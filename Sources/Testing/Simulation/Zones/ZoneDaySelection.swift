/// Which days of a zone the views are asked for.
public enum ZoneDaySelection: Sendable {
    /// All of them, 1970 to 2037.
    case every
    /// Those of another length than 24 hours and those next to a date that does not exist, with so many days before and
    /// after.
    case nearOddDays(within: Int)

    /// The indices into the days of a zone, in order.
    func indices(in days: ZoneDays) -> [Int] {
        switch self {
        case .every: return Array(days.days.indices)
        case .nearOddDays(let distance):
            var chosen: [Int] = []
            for index in days.days.indices where days.isOdd(index) {
                let near = max(0, index - distance)...min(days.days.count - 1, index + distance)
                chosen += near.filter { $0 > (chosen.last ?? -1) }
            }
            return chosen
        }
    }
}

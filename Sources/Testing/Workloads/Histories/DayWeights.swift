import Daybook

/// How much is written down on each day of the years that a history covers: little at weekends and in holidays, bursts
/// now and then, a little more every year.
struct DayWeights {
    /// Years before the last day.
    static let years = 5

    let first: Day
    /// The sum of the weights of all days up to each one.
    private let sums: [Int]

    init(endingOn last: Day, draws: SeededDraws) {
        first = last.adding(months: -12 * Self.years).advanced(by: 1)
        var sums: [Int] = []
        var sum = 0
        for offset in 0...max(first.distance(to: last), 0) {
            let day = first.advanced(by: offset)
            // Someone who keeps tasks for five years keeps more of them in the fifth.
            var weight = Self.weight(of: day) * (2000 + offset) / 2000
            if draws.happens(35) { weight *= 3 + draws.longTail(scale: 2, doublings: 3) }
            if draws.happens(40) { weight /= 8 }
            sum += max(weight, 1)
            sums.append(sum)
        }
        self.sums = sums
    }

    var dayCount: Int { sums.count }

    /// Which of so many tasks are written down on a day: exactly that many over all days.
    func tasks(of offset: Int, total: Int) -> Range<Int> {
        let share = { (sum: Int) in total * sum / max(sums.last ?? 1, 1) }
        return share(offset == 0 ? 0 : sums[offset - 1])..<share(sums[offset])
    }

    private static func weight(of day: Day) -> Int {
        let weekly =
            switch day.weekday {
            case .monday: 1300
            case .tuesday, .wednesday: 1100
            case .thursday: 1000
            case .friday: 800
            case .saturday: 300
            case .sunday: 200
            }
        let month = day.month
        if month == 12, day.day >= 23 { return weekly / 4 }
        if month == 1, day.day <= 2 { return weekly / 4 }
        return month == 8 ? weekly * 2 / 3 : weekly
    }
}

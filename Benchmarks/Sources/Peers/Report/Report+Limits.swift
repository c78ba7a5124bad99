extension Report {
    /// Requires that whole commands are the given factor faster than another's, in the static build if that takes part: users
    /// install it; the other one is linked with Swift's libraries when it starts.
    mutating func requireCommand(_ what: String, fasterThan name: String, times limit: Double, in times: [Times]) {
        guard times.contains(where: { $0.name == Contestants.fixed }) else {
            return require(what, fasterThan: name, times: limit, in: times)
        }
        require(
            what + ", as Scripts/install builds it", fasterThan: name, times: limit, in: times, of: Contestants.fixed)
        compare(what + ", default build", fasterThan: name, because: "reported", in: times)
    }

    /// Requires that the median of Daybook's times is below a limit in nanoseconds.
    mutating func require(_ what: String, under limit: Double, in times: [Times]) {
        guard let ours = times.first(where: { $0.name == Contestants.daybook }) else { return }
        add(what, target: "under \(limit.time)", measured: ours.median.time, holds: ours.median < limit)
    }

    /// Requires that Daybook takes at most so many nanoseconds more than another: the median of the rounds'
    /// differences.
    mutating func require(
        _ what: String, atMost limit: Double, beyond name: String, whichIs other: String, in times: [Times]
    ) {
        guard let ours = times.first(where: { $0.name == Contestants.daybook }),
            let theirs = times.first(where: { $0.name == name })
        else { return }
        let difference = ours.nanoseconds.compactMap { round, time in theirs.nanoseconds[round].map { time - $0 } }
            .median
        let text = difference < 0 ? "\((-difference).time) less" : "\(difference.time) more"
        add(what, target: "under \(other) and \(limit.time)", measured: text, holds: difference < limit)
    }
}

import Daybook

/// Checks the days of one zone: where they start, and which day each instant around their ends and around each change of
/// the offset belongs to.
struct ZoneRulesCheck {
    let truth: ZoneTruth.Digest

    /// What was found, and the digest of the zone's days, right or wrong; nil when there is no such zone.
    func run() -> (report: ZoneReport, digest: String?) {
        var report = ZoneReport()
        report.zones = 1
        let days: ZoneDays
        do {
            days = ZoneDays(of: try Zone(truth.zone))
        } catch {
            report.add(ZoneFinding(zone: truth.zone, day: nil, what: .unusableZone, "a zone", "\(error)"))
            return (report, nil)
        }
        let digest = days.digest
        report.days = days.days.count
        report.expect(.dayCount, truth.dayCount, days.days.count, zone: days.zone, day: nil)
        report.expect(.digest, truth.hexadecimal, digest, zone: days.zone, day: nil)
        Self.checkBoundaries(of: days, into: &report)
        Self.checkTransitions(of: days, into: &report)
        return (report, digest)
    }

    static func checkBoundaries(of days: ZoneDays, into report: inout ZoneReport) {
        let zone = days.zone
        for (index, day) in days.days.enumerated() {
            let (start, end) = (days.starts[index], days.starts[index + 1])
            report.expect(.endOfDay, end, zone.end(of: day), zone: zone, day: day)
            let instants = [
                (start.advanced(byMicroseconds: -1), days.day(before: index)), (start, day),
                (start.advanced(byMicroseconds: 1), day), (end.advanced(byMicroseconds: -1), day),
            ]
            for (instant, expected) in instants {
                report.expect(.dayOfInstant, expected, zone.day(of: instant), zone: zone, day: day)
            }
            report.instants += instants.count
        }
    }

    static func checkTransitions(of days: ZoneDays, into report: inout ZoneReport) {
        for transition in days.transitions {
            report.transitions += 1
            for distance: Int64 in [-1, 0, 1] {
                let instant = transition.advanced(byMicroseconds: distance)
                guard let day = days.day(holding: instant) else { continue }
                report.instants += 1
                report.expect(.dayOfInstant, day, days.zone.day(of: instant), zone: days.zone, day: day)
            }
        }
    }
}

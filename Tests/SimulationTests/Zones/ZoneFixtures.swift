import Daybook
import Foundation
import TestSupport

@testable import Simulation

/// A small table of independent results, computed by CPython's `hashlib` and `zoneinfo`.
enum ZoneFixtures {
    static let digests = [
        "UTC,Etc/UTC,24837,26c13a70ff6deba94797d014fc74e00957ce2f0a289fa0d1bce9c6eeceb24b1d",
        "Etc/UTC,Etc/UTC,24837,26c13a70ff6deba94797d014fc74e00957ce2f0a289fa0d1bce9c6eeceb24b1d",
        "Etc/GMT+5,Etc/GMT+5,24837,2d5a46c0e4da64e0363fb17bfc7f342d9aaaef2f6646e3299f53c5c47bc5c25d",
    ]

    static let hardCases = [
        "Europe/Berlin,an hour less,2020-03-29T01:00:00Z,2020-03-29,2020-03-28T23:00:00Z,2020-03-29T22:00:00Z,82800,1,7200,1",
        "Africa/Cairo,\"starts at one, not at midnight\",2010-04-29T22:00:00Z,2010-04-30,2010-04-29T22:00:00Z,"
            + "2010-04-30T21:00:00Z,82800,1,10800,1",
        "Pacific/Apia,the day after none,2011-12-30T10:00:00Z,2011-12-31,2011-12-30T10:00:00Z,2011-12-31T10:00:00Z,"
            + "86400,1,50400,1",
        "Europe/Berlin,of later zone data,2020-03-29T01:00:00Z,1999-01-01,2020-03-28T23:00:00Z,2020-03-29T22:00:00Z,82800,1,7200,0",
    ]

    static func truth(
        version: String = "2025b", digests: [String] = digests, hardCases: [String] = hardCases
    ) throws -> ZoneTruth {
        let digestText = (["zone,target_or_self,lines,sha256"] + digests).joined(separator: "\n")
        let heading =
            "zone,description,instant_utc,local_date,start_of_day_utc,next_day_start_utc,length_of_day_seconds,"
            + "contiguous,utc_offset_at_instant,same_in_debian_2025b"
        return try ZoneTruth(
            version: version, digests: CSVTable(text: digestText, path: "digests.csv"),
            hardCases: CSVTable(text: ([heading] + hardCases).joined(separator: "\n"), path: "hard-cases.csv")
        )
    }
}

extension TemporaryFolder {
    var store: String { file("store") }
}

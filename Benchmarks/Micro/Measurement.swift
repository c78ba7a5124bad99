import Daybook
import FoundationEssentials

/// A record with an index by time and counts over it, one for every 75 minutes of five years.
struct Measurement: Record {
    static let byTime = Index<Measurement, Instant>("byTime") { $0.takenAt }
    static let counts = RollUp("counts", over: byTime)
    static let collection = RecordCollection<Measurement>("measurements") {
        byTime
        counts
    }

    let id: UInt64
    let takenAt: Instant
    let level: Int64

    init(id: UInt64, takenAt: Instant, level: Int64) {
        self.id = id
        self.takenAt = takenAt
        self.level = level
    }

    init(id: UInt64, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        takenAt = try fields.instant(1)
        level = try fields.int64(2)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, takenAt)
        fields.put(2, level)
    }

    /// A store of five years of them, the last at `BenchmarkFolder.now`.
    static func store() async throws -> DaybookStore {
        let daybook = try BenchmarkFolder.open(records: Schema().adding(collection))
        try await daybook.write { transaction in
            for number in 0..<count {
                let seconds = Int64(number - count + 1) * interval
                let taken = BenchmarkFolder.now.advanced(bySeconds: seconds)
                try transaction.put(Measurement(id: UInt64(number), takenAt: taken, level: seconds % 1000))
            }
        }
        return daybook
    }

    /// Returns the time the given number of days before the last record.
    static func time(daysAgo days: Int) -> Instant {
        BenchmarkFolder.now.advanced(bySeconds: -Int64(days) * 86_400)
    }

    private static let interval: Int64 = 75 * 60
    private static let count = Int(5 * 365 * 86_400 / interval)
}

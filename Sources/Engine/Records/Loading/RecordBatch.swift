import CivilTime
import KeyValue

/// Records of one collection that are being loaded, whose index entries, roll-ups and tallies are derived together: on another
/// thread than the one that reads and writes, since splitting texts into words takes longer than both.
protocol RecordBatch: AnyObject {
    /// How many records it has.
    var count: Int { get }
    /// How many bytes their values have.
    var byteCount: Int { get }

    /// Adds the bytes of a record.
    ///
    /// - Throws: `refusedRecord` when the bytes are not a valid record of the collection.
    func append(_ key: RawSpan, _ value: RawSpan) throws
    /// What is derived from the records.
    func derived() -> DerivedEntries
}

/// What is derived from some records, with the places of the tables in the derivation.
typealias DerivedEntries = [(place: Int, contribution: Contribution)]

extension RecordBatch {
    /// Whether it has as many records as are worth a thread. What is derived from them takes many times their memory.
    var isFull: Bool { count >= 250 || byteCount >= 1 << 18 }
}

extension BoundCollection {
    func makeBatch(for places: [Int]) -> any RecordBatch { BatchOfRecords(self, places) }
}

final class BatchOfRecords<R: Record>: RecordBatch {
    private let collection: BoundCollection<R>
    private let places: [Int]
    private var records: [(record: R, id: KeyBytes)] = []
    private(set) var byteCount = 0

    init(_ collection: BoundCollection<R>, _ places: [Int]) {
        self.collection = collection
        self.places = places
    }

    var count: Int { records.count }

    func append(_ key: RawSpan, _ value: RawSpan) throws {
        let id = KeyBytes(copying: key)
        guard let record = collection.validRecord(key, value) else {
            throw RecordsError.refusedRecord(collection: collection.name, key: id.hexadecimal)
        }
        append(record, id, byteCount: value.byteCount)
    }

    /// Adds a record whose value has so many bytes.
    func append(_ record: R, _ id: KeyBytes, byteCount: Int) {
        records.append((record, id))
        self.byteCount += byteCount
    }

    func derived() -> DerivedEntries {
        var derived: DerivedEntries = []
        for (record, id) in records {
            collection.forEachContribution(of: record, id, inOrder: false) { place, contribution in
                derived.append((places[place], contribution))
            }
        }
        return derived
    }
}

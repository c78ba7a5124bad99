import FoundationEssentials
import KeyValue

/// The right to replace a store, which ends when it goes.
package typealias StoreClaim = KeyValue.StoreClaim

extension RecordStore {
    /// Reads every record as bytes, also of collections that this store was not opened with, from one consistent moment.
    ///
    /// - Throws: `damaged` when a collection has fewer or more records than are counted; what the closure throws.
    package func readImage<Result>(_ body: (StoreImage) throws -> Result) throws -> Result {
        // A table has to be opened before the moment begins in which it is read. Should another process make one in
        // between, the moment after that is read.
        while true {
            let opened = try openCountedTables()
            let result: Result? = try read { transaction in
                guard
                    let image = try transaction.lendEngine({ engine in
                        try StoreImage(of: transaction, engine, tables: opened, path: path)
                    })
                else { return nil }
                return try body(image)
            }
            if let result { return result }
        }
    }

    /// Claims the store in a folder, to replace it: no process can open it until the returned value goes.
    ///
    /// - Returns: nil when any process has it open, this one included.
    package static func claim(at path: String) throws(RecordsError) -> StoreClaim? {
        do {
            return try StoreClaim.take(of: path)
        } catch {
            throw .engine(error)
        }
    }

    private func openCountedTables() throws -> [String: SealedTable] {
        let names = try read { transaction in
            try transaction.lendEngine { engine in
                try StoredTables(in: engine, of: schema, path: path).counts.keys.sorted()
            }
        }
        let tables = try rethrowing { try environment.openPresentTables(names) }
        return Dictionary(tables.map { ($0.name, SealedTable($0)) }, uniquingKeysWith: { first, _ in first })
    }
}

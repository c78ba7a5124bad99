import KeyValue

extension BoundCollection {
    func audit(into audit: inout Audit, in engine: borrowing RawReadTransaction) throws {
        var count = RecordCount()
        let walked = try records.walk(searching: true, in: engine) { keySpan, sealed, state in
            let key = KeyBytes(copying: keySpan)
            // Built only where something is wrong: a text for each record would be a third of the work.
            var name: String { "record \(key.hexadecimal) of \(self.name)" }
            audit.note(state, of: name)
            guard state.isSealed else { return }
            do {
                let record = try records.open(key: keySpan, sealed: sealed) { value, hash in
                    let record = try decode(keySpan, value)
                    count += RecordCount(count: 1, digest: hash)
                    return record
                }
                try self.audit(record, key, name, into: &audit, in: engine)
            } catch let error as RecordsError where error.isDamage {
                audit.problem("\(name): damaged")
            }
        }
        try audit.compare(walked: walked, in: records, engine)
        audit.found(count, in: number)
    }

    private func audit(
        _ record: R, _ key: KeyBytes, _ name: @autoclosure () -> String, into audit: inout Audit,
        in engine: borrowing RawReadTransaction
    ) throws {
        audit.report.records += 1
        if audit.asksRecords {
            for broken in record.brokenInvariants { audit.problem("\(name()): \(broken)") }
        }
        for (index, indexKey) in zip(indexes, keys(of: record)) {
            guard var entry = indexKey else { continue }
            entry.append(contentsOf: key)
            do {
                if try index.table.get(entry, in: engine, { _, _ in true }) != nil {
                    audit.foundEntry(in: index.table.name, isSound: true)
                } else {
                    audit.problem("\(name()): not in \(index.table.name)")
                }
            } catch RecordsError.damagedEntry {
                // Named when the index itself is walked.
                audit.foundEntry(in: index.table.name, isSound: false)
            }
        }
        for (rollUp, instant) in zip(rollUps, instants(of: record)) {
            if let instant { audit.expect(instant, in: rollUp.table.name) }
        }
    }
}

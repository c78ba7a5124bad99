/// Which records of a block have which columns.
struct RowMap {
    let shapes: [RecordShape]
    let rowShapes: [UInt64]

    /// For the first numbers of a column, at most `limit`: what another column has in the same record.
    func references(from own: Int, to other: Int, _ numbers: [UInt64], limit: Int) -> References {
        let hasOwn = shapes.map { $0.columns.contains(own) }
        let hasOther = shapes.map { $0.columns.contains(other) }
        var references = References()
        references.values.reserveCapacity(limit)
        references.isPresent.reserveCapacity(limit)
        var next = 0
        for row in rowShapes.indices where rowShapes[row] >= UInt64(RecordShape.first) {
            let shape = Int(rowShapes[row]) - RecordShape.first
            if hasOwn[shape] {
                guard references.values.count < limit else { break }
                references.values.append(hasOther[shape] ? numbers[next] : 0)
                references.isPresent.append(hasOther[shape])
            }
            if hasOther[shape] { next += 1 }
        }
        return references
    }

    /// For the first numbers of a column, at most `limit`: the time in the key of the record.
    func keyTimes(of own: Int, _ times: [UInt64], limit: Int) -> References {
        let hasOwn = shapes.map { $0.columns.contains(own) }
        var references = References()
        references.values.reserveCapacity(limit)
        for row in rowShapes.indices where rowShapes[row] >= UInt64(RecordShape.first) {
            guard hasOwn[Int(rowShapes[row]) - RecordShape.first] else { continue }
            guard references.values.count < limit else { break }
            references.values.append(times[row])
        }
        return references
    }
}

/// The coding of a column of numbers: the prediction that fits best, and the differences from it.
enum NumberCoding {
    /// How many numbers of each block are tried with each prediction.
    private static let sampleCount = 4_096
    /// How many preceding columns are tried for a prediction.
    private static let candidateCount = 16

    static func write(
        _ index: Int, of columns: [BlockColumns.Column], _ rows: RowMap, keyTimes: [UInt64]?,
        to writer: inout StreamWriter
    ) {
        let numbers = columns[index].numbers
        var best = Prediction.zero
        var fewest = Int.max
        for prediction in candidates(for: index, of: columns, keyTimes: keyTimes) {
            let sample = references(prediction, index, columns, rows, keyTimes, limit: sampleCount)
            guard var predictor = Predictor(prediction, sample) else { continue }
            let bits = bits(numbers.prefix(sampleCount), &predictor)
            if bits < fewest { (best, fewest) = (prediction, bits) }
        }
        var chosen = Predictor(best, references(best, index, columns, rows, keyTimes, limit: numbers.count))
        if chosen == nil {
            // The groups of the sample were close together, those of the complete block are not.
            best = .previous
            chosen = Predictor(.previous, References())
        }
        writer.byte(best.code)
        if let column = best.column { writer.shortInteger(UInt64(column)) }
        guard var chosen else { return }
        var rests = numbers
        for place in numbers.indices {
            rests[place] = numbers[place] &- chosen.expected(at: place)
            chosen.note(numbers[place], at: place)
        }
        IntegerCoding.write(rests, to: &writer)
    }

    private static func candidates(
        for index: Int, of columns: [BlockColumns.Column], keyTimes: [UInt64]?
    ) -> [Prediction] {
        let form = columns[index].field & 0xFF
        var candidates: [Prediction] = [.zero, .previous]
        if keyTimes != nil, form == 3 { candidates.append(.keyTime) }
        for other in (0..<index).filter({ !columns[$0].isText }).suffix(candidateCount) {
            let otherForm = columns[other].field & 0xFF
            if otherForm == form { candidates.append(.sameRecord(other)) }
            if otherForm == 3, form == 2 { candidates.append(.day(other)) }
            if otherForm < 3, form > 1 { candidates.append(.sameGroup(other)) }
        }
        return candidates
    }

    private static func references(
        _ prediction: Prediction, _ index: Int, _ columns: [BlockColumns.Column], _ rows: RowMap, _ keyTimes: [UInt64]?,
        limit: Int
    ) -> References {
        if let other = prediction.column {
            return rows.references(from: index, to: other, columns[other].numbers, limit: limit)
        }
        guard prediction == .keyTime, let keyTimes else { return References() }
        return rows.keyTimes(of: index, keyTimes, limit: limit)
    }

    private static func bits(_ numbers: ArraySlice<UInt64>, _ predictor: inout Predictor) -> Int {
        var plain = [UInt32](repeating: 0, count: 65)
        // A prediction that is always off by the same amount is as good as an exact one.
        var shifted = plain
        var first: UInt64 = 0
        for index in numbers.indices {
            let rest = numbers[index] &- predictor.expected(at: index)
            predictor.note(numbers[index], at: index)
            if index == numbers.startIndex { first = rest }
            plain[64 - IntegerCoding.zigzag(rest).leadingZeroBitCount] += 1
            shifted[64 - IntegerCoding.zigzag(rest &- first).leadingZeroBitCount] += 1
        }
        guard !numbers.isEmpty else { return 0 }
        return min(
            ByteEstimate.bits(of: plain, total: numbers.count), ByteEstimate.bits(of: shifted, total: numbers.count))
    }

    /// Reads a column after the columns before it.
    static func read(
        _ index: Int, count: Int, of columns: [BlockColumns.Column], _ rows: RowMap, keyTimes: [UInt64]?,
        from reader: inout StreamReader
    ) throws(SnapshotDamage) -> [UInt64] {
        let code = try reader.cursor.byte()
        let found = try Prediction(code: code) { () throws(SnapshotDamage) -> Int in
            let column = try reader.cursor.shortInteger()
            guard column < UInt64(index), !columns[Int(column)].isText else {
                throw SnapshotDamage("a column is predicted by one that does not exist")
            }
            return Int(column)
        }
        guard let prediction = found, prediction != .keyTime || keyTimes != nil else {
            throw SnapshotDamage("a column is predicted in an unknown way")
        }
        var numbers = try IntegerCoding.read(count: count, from: &reader)
        guard
            var predictor = Predictor(
                prediction, references(prediction, index, columns, rows, keyTimes, limit: count))
        else { throw SnapshotDamage("a column is predicted by groups that are too far apart") }
        for place in numbers.indices {
            numbers[place] = numbers[place] &+ predictor.expected(at: place)
            predictor.note(numbers[place], at: place)
        }
        return numbers
    }
}

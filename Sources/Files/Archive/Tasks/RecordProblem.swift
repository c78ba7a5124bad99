/// Why one record cannot be taken; the reader adds the line. It never holds the record's text.
struct RecordProblem: Error, Equatable {
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// Attributes that have to be kept in `extra` and would not be readable from there.
    static let tooComplex = RecordProblem("attributes without a field are nested too deeply or are too many")
}

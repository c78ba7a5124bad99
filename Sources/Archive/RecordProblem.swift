/// Why one record cannot be taken; the reader adds the line. It never holds the record's text.
struct RecordProblem: Error, Equatable {
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// Why one record cannot be taken; the reader adds the line. It never holds the record's text.
package struct RecordProblem: Error, Equatable {
    package var reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

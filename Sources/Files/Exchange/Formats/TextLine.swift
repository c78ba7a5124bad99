import ByteStreams

/// One line of a text file.
struct TextLine: Sendable, Equatable {
    /// Its number, from 1.
    var number: Int
    /// The line without its ending. What is not UTF-8 is replaced; `problem` says so then.
    var text: String
    /// How it ended: "\n", "\r\n", or nothing at the end of the file.
    var ending: String = "\n"
    /// Its bytes, if they are not UTF-8: in iCalendar a line may end within a character that the next one completes.
    var invalidBytes: [UInt8] = []
    /// Why no record may be made of it.
    var problem: RecordProblem?
}

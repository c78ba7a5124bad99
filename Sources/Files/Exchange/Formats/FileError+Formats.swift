import ByteStreams

extension FileError {
    static func unknownFormat(name: String?) -> FileError {
        .unknownFormat(name: name, formats: TaskFormat.allCases.map(\.rawValue))
    }

    static func malformed(format: TaskFormat, line: Int, reason: String) -> FileError {
        .malformed(format: format.rawValue, line: line, reason: reason)
    }
}

extension RecordProblem {
    /// Attributes that have to be kept in `extra` and would not be readable from there.
    static let tooComplex = RecordProblem("attributes without a field are nested too deeply or are too many")
}

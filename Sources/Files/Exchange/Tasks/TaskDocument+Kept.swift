import ByteStreams

extension TaskDocument {
    /// What a file of this format said of the task that no field has a place for.
    func kept(of format: TaskFormat) -> JSONValue? {
        extraMembers[format.rawValue]
    }

    /// Keeps what a file of this format said, to give it back to the next export in that format.
    mutating func keep(_ value: JSONValue, of format: TaskFormat) throws(RecordProblem) {
        // Inside `extra` it stands deeper than it does here; it has to be readable there too.
        guard value.fits(levels: 40, values: 50_000) else { throw .tooComplex }
        try addExtra([JSONMember(key: format.rawValue, value: value)])
    }
}

import CivilTime

extension Instant {
    /// Not every format has a way to write years beyond these.
    func checkYear(_ field: String) throws(RecordProblem) {
        let years = -62_135_596_800_000_000...253_402_300_799_999_999
        guard years.contains(Int(microsecondsSince1970)) else {
            throw RecordProblem("`\(field)` must be within the years 0001 to 9999 of UTC")
        }
    }
}

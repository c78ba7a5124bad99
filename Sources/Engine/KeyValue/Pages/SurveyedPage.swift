/// A page that may hold entries; their checksums show which of them were ever written.
package struct SurveyedPage {
    /// Its position in the file, counted in pages.
    package let position: Int
    /// What it is.
    private let status: PageSurvey.Status
    /// Its table, by its place among those of the survey; nil when that is not known.
    package let table: Int?
    private let page: TreePage
    private let entries: [LeafEntry]
    private let pages: NumberedPages

    init(_ page: TreePage, at position: Int, _ finding: PageSurvey.Finding, in pages: NumberedPages) {
        self.position = position
        status = finding.status
        table = finding.table
        self.page = page
        self.pages = pages
        isValid = page.isValidLeaf
        entries = page.leafEntries(isValid: isValid)
    }

    /// Whether it is a leaf as LMDB writes it.
    package let isValid: Bool

    /// What an entry is: what its page is, unless the page does not list it any more.
    package func status(ofEntry number: Int) -> PageSurvey.Status {
        entries[number].isListed ? status : min(status, .unknown)
    }

    /// How many entries may be on it.
    package var count: Int { entries.count }

    /// Lends the key and the value of an entry. A large value that is not in the file is empty.
    package func withEntry<Result>(_ number: Int, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Result) rethrows
        -> Result
    {
        let entry = entries[number]
        let bytes = unsafe page.bytes.span.bytes
        let key = bytes.extracting(entry.key)
        switch entry.value {
        case .within(let range): return try body(key, bytes.extracting(range))
        case .table: return try body(key, RawSpan())
        case .overflow(let first, let count):
            let value = pages.value(at: first, count: count) ?? []
            return try unsafe body(key, value.span.bytes)
        }
    }

    /// The positions of all pages that an entry is on.
    package func positions(ofEntry number: Int) -> [Int] {
        guard case .overflow(let first, let count) = entries[number].value, let start = pages.position(of: first)
        else {
            return [position]
        }
        return [position] + (start..<(start + pages.pagesInRun(of: count)))
    }
}

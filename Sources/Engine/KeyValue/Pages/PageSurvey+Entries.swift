// The pages on which entries may be, by what a survey found out about them.
extension PageSurvey {
    /// Passes every page on which entries may be to a closure, in the order of the file.
    ///
    /// - Parameter wants: whether the pages of a table are wanted, by its place in `tables`; nil for pages of which the table
    ///   is not known.
    package func forEachPage(
        wanting wants: (_ table: Int?) -> Bool, _ body: (SurveyedPage) throws -> Void
    ) rethrows {
        var position = 0
        while position < pageCount {
            defer { position += 1 }
            let finding = findings[position]
            guard !finding.isWithoutEntries, wants(finding.table), let page = pages.page(at: position), !page.isMeta
            else { continue }
            if finding.status < .current {
                // The pages of a large value have no entries, and text in it can look like some.
                if let count = page.overflowPageCount, pages.numbers[position] == UInt64(position), count > 0 {
                    position += min(count, pageCount - position) - 1
                    continue
                }
                if page.isBranch, page.isTree, page.hasValidLayout { continue }
            }
            try body(SurveyedPage(page, at: position, finding, in: pages))
        }
    }

    /// A single page, to read an entry of it again.
    package func surveyedPage(at position: Int) -> SurveyedPage? {
        pages.page(at: position).map { SurveyedPage($0, at: position, findings[position], in: pages) }
    }
}

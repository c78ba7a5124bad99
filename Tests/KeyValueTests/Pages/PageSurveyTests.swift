import Foundation
import KeyValue
import Testing

struct PageSurveyTests {
    /// A store with a large value that was replaced by a smaller one in the same transaction, and entries behind it.
    private func storeWithShrunkenValue() async throws -> TestStore {
        let store = try TestStore()
        let table = store.table
        try await store.environment.write { transaction in
            try transaction.put([1], [UInt8](repeating: 0xAA, count: 30_000), in: table)
            try transaction.put([1], [UInt8](repeating: 0xBB, count: 5_000), in: table)
            for number in 0..<200 {
                try transaction.put([2, UInt8(number)], [UInt8](repeating: 1, count: 100), in: table)
            }
        }
        return store
    }

    /// How many entries a survey shows on pages in use, and how many pages that are not valid.
    private func survey(_ path: String) throws -> (entries: Int, invalid: Int) {
        let survey = try PageSurvey(of: path, orderedBy: "changes")
        #expect(survey.isFreeListWhole)
        var result = (entries: 0, invalid: 0)
        survey.forEachPage(wanting: { _ in true }) { page in
            result.entries += (0..<page.count).count { page.status(ofEntry: $0) == .current }
            if !page.isValid { result.invalid += 1 }
        }
        return result
    }

    @Test("The pages that a value keeps after it has shrunk belong to it, and are not searched for entries")
    func shrunkenValue() async throws {
        let store = try await storeWithShrunkenValue()
        #expect(try store.environment.pageProblems().all == [])
        let found = try survey(store.dataFile)
        #expect(found.entries == 201)
        #expect(found.invalid == 0)
    }

    @Test("A damaged number of a value's pages hides no page of a tree")
    func damagedNumberOfPages() async throws {
        let store = try await storeWithShrunkenValue()
        let file = store.dataFile
        var data = try Data(contentsOf: URL(fileURLWithPath: file))
        store.environment.close()
        let start = try #require(
            stride(from: 0, to: data.count, by: 4096).first { data[$0 + 10] == 4 && data[$0 + 16] == 0xBB })
        #expect(data[start + 12] == 8)
        data[start + 13] = 9
        try data.write(to: URL(fileURLWithPath: file))
        #expect(try survey(file).entries == 201)
    }
}

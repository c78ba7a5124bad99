import KeyValue
import Records
import Tasks
import Testing

@testable import CrashTesting

/// What each error means for what the caller may rely on.
@Suite struct FaultAnswerTests {
    struct Unknown: Error {}

    static let expected: [(KeyValueError, String)] = [
        (.commitUnknown(code: 5), "unknown, writing stopped"), (.commitFailed(code: 5), "out, writing stopped"),
        (.writingStopped, "out, writing stopped"), (.closed, "out, writing stopped"),
        (.storageFull(detail: ""), "out, writing goes on"),
        (.busy(operation: "commit", code: 4), "out, writing goes on"),
    ]

    @Test("An error means the same whichever module hands it on")
    func modules() {
        for (error, name) in Self.expected {
            #expect(FaultAnswer(error).name == name)
            #expect(FaultAnswer(RecordsError.engine(error)).name == name)
            #expect(FaultAnswer(TaskError.store(.engine(error))).name == name)
        }
    }

    @Test("An error of no module's says nothing of what it means")
    func untyped() {
        #expect(FaultAnswer(Unknown()).name == "untyped")
    }
}

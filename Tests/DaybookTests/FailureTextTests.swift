import Daybook
import Foundation
import Testing

/// What people read about failures.
@Suite struct FailureTextTests {
    private static let languages: [any DaybookTexts] = [EnglishTexts(), TurkishTexts()]

    @Test(
        "Each reason of each attempt has one text in each language, with no code and no command [C-AD11, X-21, L-PR3, S-68]"
    )
    func texts() {
        let secret = "secret-of-a-person"
        for texts in Self.languages {
            var reasons: Set<String> = []
            for attempt in Attempt.allCases {
                for error in Self.errors(naming: secret) {
                    let failure = StoreFailure(error, during: attempt)
                    let text = texts.text(for: failure)
                    #expect(text.hasSuffix(".") && !text.contains("\n"), "\(text)")
                    for word in [secret, failure.code + "-", "daybook", "Run ", "--", "MDB", "errno"] {
                        #expect(!text.contains(word), "\(text)")
                    }
                    #expect((texts.name(of: failure.remedy) == nil) == (failure.remedy == .none))
                    // The same failure again is the same text, whatever names it carries.
                    if attempt == .save { reasons.insert("\(failure.reason.rawValue) \(text)") }
                }
            }
            #expect(Set(reasons.map { $0.split(separator: " ")[0] }).count == reasons.count)
        }
    }

    @Test("No two reasons have the same text, and languages share none [X-21]")
    func distinct() {
        var seen: Set<String> = []
        for texts in Self.languages {
            for error in [TaskError.emptyText, .pastDay(.first), .bucketFull(.must), .undoExpired, .changedSince] {
                #expect(seen.insert(texts.text(for: StoreFailure(error, during: .save))).inserted)
            }
        }
    }

    @Test(
        "The planner's errors are told apart [P-OP15]",
        arguments: [
            (TaskError.bucketFull(.must), FailureReason.bucketFull, "bucket-full"),
            (.noSuchTask(id: "x"), .gone, "no-such-task"), (.notInSameBucket, .unfitting, "not-in-same-bucket"),
            (.store(.engine(.storageFull(detail: "the disk"))), .full, "disk-full"), (.emptyText, .empty, "empty-text"),
        ])
    func planner(error: TaskError, reason: FailureReason, code: String) {
        for attempt in [Attempt.load, .save] {
            let failure = StoreFailure(error, during: attempt)
            #expect((failure.attempt, failure.reason, failure.code) == (attempt, reason, code))
        }
    }

    /// Errors of every part, with a name in each that can carry one.
    private static func errors(naming name: String) -> [any Error] {
        let tasks: [TaskError] = [
            .noSuchTask(id: name), .ambiguous(prefix: name, candidates: [name]), .notAnID(name), .emptyText,
            .unusableText, .duplicate(id: name), .pastDay(.first), .notInSameDay, .notInSameBucket, .bucketFull(.must),
            .dependencyCycle, .subtaskCycle, .subtaskDepth, .notInSameParent, .noSuchIndex(1), .noSuchList,
            .ambiguousList(candidates: [name]), .duplicateList, .emptyName, .badColor, .notInSameList, .badLink(name),
            .undoExpired, .nothingToUndo, .nothingToRedo, .changedSince, .cancelled, .unknownValue(field: name),
            .notRecurring, .neverOccurs, .unexpected(type: name),
        ]
        let journals: [JournalError] = [
            .noSuchThread, .noSuchEntry, .noSuchField, .ambiguousThread(candidates: [name]),
            .ambiguousEntry(candidates: [name]), .notAnID, .emptyTitle, .emptyContent, .badFieldName, .duplicateField,
            .unusableText, .duplicateID, .notAGroup, .groupWithValue, .groupCycle, .foreignField, .locked,
            .lockUnavailable, .undoExpired, .nothingToUndo, .changedSince, .cancelled, .unexpected(type: name),
        ]
        let records: [RecordsError] = [
            .notAStore(path: name), .newerFormat(path: name, found: 2, known: 1),
            .damagedRecord(collection: name, key: name), .damagedEntry(table: name, key: name),
            .unreadableField(number: 1), .engine(.storageFull(detail: name)), .engine(.busy(operation: name, code: 11)),
            .engine(.readOnly), .engine(.closed), .unexpected(type: name),
        ]
        let files: [FileError] = [
            .malformed(format: name, line: 1, reason: name), .notFound(path: name), .permissionDenied(path: name),
            .diskFull(path: name), .targetExists(path: name), .notDecryptable(path: name), .busy,
            .damagedSnapshot(path: name, reason: name),
        ]
        return tasks.map { $0 as any Error } + journals + records + files + [CancellationError()]
    }
}

import Foundation
import Testing

@testable import Simulation

/// The verbs and subjects about lists, due times, the planner, recurrence and dependencies.
@Suite struct TaskVerbTests {
    private static let page: String = {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        return (try? String(contentsOf: root.appending(path: "Documentation/Scenarios.md"), encoding: .utf8)) ?? ""
    }()

    @Test("Documentation/Scenarios.md names every verb and subject")
    func documented() {
        for name in TaskVerb.names { #expect(Self.page.contains("`\(name)"), "\(name)") }
        for name in TaskSubject.names { #expect(Self.page.contains("`\(name)"), "\(name)") }
        for (name, _) in TaskWitness.detailShape { #expect(Self.page.contains("`\(name)"), "\(name)") }
    }

    @Test("No verb or subject has two meanings, and every one occurs in a scenario")
    func used() throws {
        #expect(Set(TaskVerb.names).count == TaskVerb.names.count)
        #expect(TaskVerb.names.allSatisfy { ScenarioVerb(rawValue: $0) == nil })
        #expect(TaskSubject.names.allSatisfy { ExpectationSubject(rawValue: $0) == nil })
        #expect(TaskVerb.allCompanions.allSatisfy { ScenarioVerb(rawValue: $0) == nil && TaskVerb.named($0) == nil })
        let steps = try ScenarioFilesTests.files.flatMap { try ScenarioFilesTests.scenario($0).steps }
        var words: Set<String> = []
        func note(_ action: Action) {
            switch action {
            case .perform(let verb, _, _): words.insert(verb)
            case .together(let actions): actions.forEach(note)
            case .elsewhere(let action): note(action)
            case .crash(_, let during, _): during.map(note)
            case .expect(let expectations): words.formUnion(expectations.map(\.subject))
            default: break
            }
        }
        steps.map(\.action).forEach(note)
        #expect(TaskVerb.names.filter { !words.contains($0) } == [])
        #expect(TaskSubject.names.filter { !words.contains($0) } == [])
    }

    @Test(
        "The words for journals are documented, are none of the others, and each occurs in a scenario [J-OP9, J-OP10]")
    func journalWords() throws {
        let (verbs, subjects) = (Vocabulary.journals.verbs.keys, Vocabulary.journals.subjects.keys)
        for name in Array(verbs) + subjects { #expect(Self.page.contains("`\(name)"), "\(name)") }
        #expect(verbs.allSatisfy { ScenarioVerb(rawValue: $0) == nil && TaskVerb.named($0) == nil })
        #expect(subjects.allSatisfy { ExpectationSubject(rawValue: $0) == nil && TaskSubject.named($0) == nil })
        var words: Set<String> = []
        for step in try ScenarioFilesTests.files.flatMap({ try ScenarioFilesTests.scenario($0).steps }) {
            switch step.action {
            case .custom(let verb, _): words.insert(verb)
            case .expect(let expectations): words.formUnion(expectations.map(\.subject))
            default: break
            }
        }
        #expect(Set(verbs).union(subjects).subtracting(words) == [])
    }

    @Test("A transaction with a verb of the table is refused as a whole, and its tasks are not named")
    func refused() throws {
        let scenario = try ScenarioReader().read(
            goodHead + """
                steps:
                  - add list: Home
                  - together: [create: A, { move: A, to: Home }, { color list: Home, as: red }]
                    refused: bad-color
                  - create: A
                  - expect: { inbox: [A], tasks of: { Home: [] }, changes: [createList, create] }
                """, file: "refused.yaml")
        let story = try Simulator().play(scenario)
        #expect(story.isGood, "\(story)")
    }

    @Test(
        "An expectation that does not hold fails with what was found",
        arguments: [
            ("tasks of: { Home: [] }", "{Home: [A]}"), ("overdue: []", "[A]"),
            ("plan: { morning: { must: [A] } }", "none: [A]"),
            ("reminder schedule: {}", "A: 2026-03-10T22:00:00Z"), ("categories: {}", "home: {open: 1, all: 1}"),
        ])
    func fails(expectation: String, found: String) throws {
        let scenario = try ScenarioReader().read(
            goodHead + """
                steps:
                  - add list: Home
                  - create: A
                  - { move: A, to: Home }
                  - { due: A, at: yesterday }
                  - { remind: A, at: 2026-03-11 01:00 }
                  - { categorize: A, as: home }
                  - { schedule: A, on: today }
                  - expect: { \(expectation) }
                """, file: "fails.yaml")
        let failure = try #require(try Simulator().play(scenario).failure)
        #expect(failure.line == 12)
        #expect(failure.found.contains(found), "\(failure.found)")
    }
}

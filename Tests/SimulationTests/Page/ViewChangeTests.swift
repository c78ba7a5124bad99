import Daybook
import Testing

@testable import Simulation

@Suite struct ViewChangeTests {
    private func tasks(_ text: String) -> [StoryEvent.ShownTask] {
        text.map {
            .init(name: $0.lowercased(), state: $0.isUppercase ? .completed : .notStarted)
        }
    }

    private func changes(_ old: String, _ new: String) -> String {
        let change = ViewChange(from: tasks(old), to: tasks(new))
        let lines = change.lines.map { line in
            switch line.change {
            case nil: line.task.name
            case .added: "+" + line.task.name
            case .moved: "~" + line.task.name
            case .was: "!" + line.task.name
            }
        }
        return (lines + change.removed.map { "-" + $0.name }).joined(separator: " ")
    }

    @Test("What is new, gone, moved or in another state is told apart")
    func tellsChangesApart() {
        #expect(changes("abc", "abc") == "a b c")
        #expect(changes("abc", "dabc") == "+d a b c")
        #expect(changes("abc", "ac") == "a c -b")
        #expect(changes("abc", "bca") == "b c ~a")
        #expect(changes("abc", "abC") == "a b !c")
    }

    @Test("A task that goes elsewhere because of its state moves no other")
    func blamesNobodyElse() {
        #expect(changes("abc", "bcA") == "b c !a")
        #expect(changes("ab", "bA") == "b !a")
    }
}

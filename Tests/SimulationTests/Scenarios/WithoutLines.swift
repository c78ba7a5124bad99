import Simulation

extension Scenario {
    /// Only what it says, not where that stands.
    var withoutLines: Scenario {
        var scenario = self
        scenario.file = nil
        scenario.steps = steps.map { Step($0.action.withoutLines, refusal: $0.refusal) }
        return scenario
    }
}

extension Action {
    /// Only what it says, not where that stands.
    var withoutLines: Action {
        switch self {
        case .expect(let expectations):
            .expect(expectations.map { Expectation($0.subject, $0.value.withoutLines) })
        case .custom(let verb, let value): .custom(verb, value.withoutLines)
        case .crash(let crash, let during, let choice): .crash(crash, during: during?.withoutLines, choice: choice)
        default: self
        }
    }
}

extension ScenarioValue {
    /// Only what it says, not where that stands.
    var withoutLines: ScenarioValue {
        switch self {
        case .list(let values): .list(values.map(\.withoutLines))
        case .map(let entries): .map(entries.map { Entry($0.key, $0.value.withoutLines) })
        default: self
        }
    }
}

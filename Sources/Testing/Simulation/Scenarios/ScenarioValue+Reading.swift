extension ScenarioValue {
    /// The value of this name; `none` where there is none.
    public subscript(name: String) -> ScenarioValue {
        entries.first { $0.key == name }?.value ?? .none
    }

    /// The named values, in the order of the file; none of a text or a list.
    public var entries: [Entry] {
        if case .map(let entries) = self { entries } else { [] }
    }

    /// The text of a name, or of the whole value when no name is given:
    ///
    ///     vocabulary.add(verb: "measure") { value, daybook in
    ///         let sensor = try value.text("sensor")
    ///
    /// - Throws: a failure of the story, with the line of the step, when it is no text.
    public func text(_ name: String? = nil) throws(StoryFailure) -> String {
        let value = name.map { self[$0] } ?? self
        guard case .text(let text) = value else { throw value.misfit(name, "a text") }
        return text
    }

    /// The number of a name, or of the whole value when no name is given: `let celsius: Double = try value.number("celsius")`.
    ///
    /// - Throws: a failure of the story, with the line of the step, when it is no number of this type.
    public func number<Number: LosslessStringConvertible & Numeric>(
        _ name: String? = nil, as type: Number.Type = Number.self
    ) throws(StoryFailure) -> Number {
        let value = name.map { self[$0] } ?? self
        guard case .text(let text) = value, let number = Number(text) else { throw value.misfit(name, "a number") }
        return number
    }

    private func misfit(_ name: String?, _ expected: String) -> StoryFailure {
        StoryFailure(name ?? "the value", expected: expected, found: "\(self)")
    }
}

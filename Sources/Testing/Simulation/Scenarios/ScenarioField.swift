/// A named value of a scenario file.
struct ScenarioField {
    let key: String
    /// The line of the name.
    let line: Int
    let value: ScenarioNode
}

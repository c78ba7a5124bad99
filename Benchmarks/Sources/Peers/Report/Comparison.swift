/// The participants and conditions of a run.
struct Comparison {
    let title: String
    /// The versions of the participants.
    let versions: [(name: String, value: String)]
    /// The conditions, as Markdown.
    let fairness: String
}

/// Who was compared in a run, and how.
struct Comparison {
    let title: String
    /// What took part.
    let versions: [(name: String, value: String)]
    /// What makes it a fair one.
    let fairness: String
}

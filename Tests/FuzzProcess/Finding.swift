/// What must not be: the reader did not crash, but its answer is wrong.
struct Finding: Error {
    /// A word for the kind of thing.
    let kind: String
    let text: String

    init(_ kind: String, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

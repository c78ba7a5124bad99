/// What the model says no to, by the code of the error that the store has to give.
struct ModelRefusal: Error, Equatable {
    let code: String

    init(_ code: String) {
        self.code = code
    }
}

/// A peer did not do what it was asked to.
struct PeerFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

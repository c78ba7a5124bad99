/// One step of a story: what happens, and whether it is to be refused.
public struct Step: Sendable, Equatable {
    /// What happens.
    public var action: Action
    /// The code of the error that it has to be refused with; nil when it has to succeed.
    public var refusal: String?
    /// The line of the file it stands in; nil for a step that was drawn.
    public var line: Int?

    /// A step of these parts.
    public init(_ action: Action, refusal: String? = nil, line: Int? = nil) {
        self.action = action
        self.refusal = refusal
        self.line = line
    }
}

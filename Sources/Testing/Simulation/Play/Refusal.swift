import Daybook

/// An error that a scenario can ask for by its code: `refused: no-such-task`.
///
/// Let the errors that a verb of your own throws be refusals, too: `extension SensorError: Refusal {}`, if it has a code.
/// Every other error that a verb throws is a failure of the story.
public protocol Refusal: Error {
    /// A short name that stays the same in every version.
    var code: String { get }
}

extension TaskError: Refusal {}
extension RecordsError: Refusal {}

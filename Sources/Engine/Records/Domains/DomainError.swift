import KeyValue

/// What the errors of every part of Daybook have in common: a name for a program and a text for a person.
///
/// The description is one line: what happened, to what, and what to do next. No error carries a text that a person wrote.
public protocol DaybookError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A short name that is the same in every version; for an error of a part below, the name of that.
    var code: String { get }
}

extension KeyValueError: DaybookError {}
extension RecordsError: DaybookError {}

/// The errors of the operations of a domain, such as tasks: those of the store, and those of the domain.
public protocol DomainError: DaybookError {
    /// The store failed.
    static func store(_ error: RecordsError) -> Self
    /// There is nothing to undo.
    static var nothingToUndo: Self { get }
    /// There is nothing to redo.
    static var nothingToRedo: Self { get }
    /// The change can no longer be undone on its own.
    static var changedSince: Self { get }
    /// The write was cancelled before it began.
    static var cancelled: Self { get }
    /// An error that no operation of the domain throws by itself, by the name of its type.
    static func unexpected(type: String) -> Self

    /// The error of the store; nil for an error of the domain.
    var storeError: RecordsError? { get }
}

extension DomainError {
    /// The classes of errors: what an application can do about them.
    public typealias Kind = ErrorKind

    /// The error's class; for an error of the store, the class of that.
    public var kind: ErrorKind { storeError?.kind ?? (self == .cancelled ? .transient : .recoverable) }

    /// Whether the store failed, as opposed to a rule that forbids the operation.
    package var isOfStore: Bool { storeError != nil || self == .cancelled || code == "unexpected" }

    /// Converts an error of the layers below.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as Self: error
            case RecordsError.nothingToUndo: .nothingToUndo
            case RecordsError.nothingToRedo: .nothingToRedo
            case RecordsError.changedSince: .changedSince
            case let error as RecordsError: .store(error)
            case is CancellationError: .cancelled
            default: .unexpected(type: String(describing: type(of: error)))
            }
    }

    /// Converts what a closure throws. Functions of transactions throw plainly: their closures are untyped.
    package static func rethrowing<Result>(_ body: () throws -> Result) throws(Self) -> Result {
        do {
            return try body()
        } catch {
            throw Self(error)
        }
    }
}

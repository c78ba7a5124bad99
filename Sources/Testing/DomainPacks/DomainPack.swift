import CivilTime
import Daybook
import Records

/// A domain for the testing tools: its record types, its operations, a plain model of its content, and its invariants.
///
/// The value itself is the model: what a store should have, in the simplest form that can be compared. Each operation says
/// side by side what it changes in the model and what it does in a store. The crash lab, ``DomainCrashTest`` and the
/// simulator take everything else from there: they choose the operations, run them, break things, and compare.
///
/// ```swift
/// struct Greenhouse: DomainPack {
///     var sensors: [String] = []
///
///     static let records = Schema().adding(Sensor.collection)
///     static let operations = [
///         DomainOperation<Self>("install") { model, _ in
///             let name = "sensor \(model.sensors.count + 1)"
///             return DomainChange {
///                 $0.sensors.append(name)
///             } transaction: {
///                 try $0.put(Sensor(id: $0.identifiers.next(), name: name))
///             }
///         }
///     ]
///     var lines: [String] { sensors }
///     static func lines(in transaction: ReadTransaction) throws -> [String] {
///         try transaction[Sensor.byName].range().map(\.name)
///     }
/// }
/// ```
public protocol DomainPack: Equatable, Sendable {
    /// The collections of the domain, as the program passes them to `DaybookStore.open`.
    static var records: Schema { get }
    /// The operations, each with a name of letters. The names `undo`, `redo`, `pair` and `compact` are taken.
    static var operations: [DomainOperation<Self>] { get }
    /// The names of operations that are performed before a test begins, so that there is something to change.
    static var start: [String] { get }
    /// Whether the operations change tasks. Random scenarios then draw no other operations on tasks, so that the domain's
    /// model covers all of them.
    static var changesTasks: Bool { get }

    /// The model of an empty store.
    init()

    /// What the model shows: the lines that a store must show as well.
    var lines: [String] { get }
    /// What the model shows at a moment. Implement it where that depends on the time, as the tasks that are overdue do.
    func lines(at moment: DomainMoment) -> [String]
    /// What a store shows. Read what the program reads, in the order of its indexes, and its counts.
    static func lines(in transaction: ReadTransaction) throws -> [String]
    /// The broken invariants of a store, each in a sentence; empty in every valid state.
    static func problems(in transaction: ReadTransaction) throws -> [String]
    /// The model after an undo or redo that leads to another content. Untracked collections are not undone: override this to
    /// keep what the model has of them, and numbers that are given once only.
    func restored(to other: Self) -> Self
}

extension DomainPack {
    /// Nothing.
    public static var start: [String] { [] }
    /// No.
    public static var changesTasks: Bool { false }
    /// The lines, whatever the time is.
    public func lines(at moment: DomainMoment) -> [String] { lines }
    /// None.
    public static func problems(in transaction: ReadTransaction) throws -> [String] { [] }
    /// The other content, completely.
    public func restored(to other: Self) -> Self { other }
}

/// A moment, and the zone in which the person is.
public struct DomainMoment: Sendable {
    /// The time.
    public let now: Instant
    /// The zone.
    public let zone: Zone

    package init(_ now: Instant, in zone: Zone) {
        self.now = now
        self.zone = zone
    }

    /// The day of the moment in the zone.
    public var today: Day { zone.day(of: now) }
}

/// An operation of a domain: it chooses what to do from the model and a draw.
public struct DomainOperation<Pack: DomainPack>: Sendable {
    /// Its name, as reproducers show it.
    public let name: String
    /// Whether every short sequence with it is tried; otherwise it is in long ones only.
    public let isShort: Bool
    /// How often it is drawn, compared with others.
    public let weight: Int
    let change: @Sendable (Pack, inout DomainDraw) -> DomainChange<Pack>?

    /// Creates an operation.
    ///
    /// - Parameter change: returns what to do in a model's state; nil if there is nothing to do it with.
    public init(
        _ name: String, isShort: Bool = true, weight: Int = 1,
        change: @escaping @Sendable (Pack, inout DomainDraw) -> DomainChange<Pack>?
    ) {
        self.name = name
        self.isShort = isShort
        self.weight = weight
        self.change = change
    }

    /// Draws a transaction, which the rules may refuse; nil if there is nothing to do it with, or if a function of a program does it.
    package func transaction(
        _ model: Pack, _ draw: inout DomainDraw
    ) -> (@Sendable (WriteTransaction) throws -> Void)? {
        switch change(model, &draw)?.work {
        case .transaction(let body), .refused(let body): body
        case .program, nil: nil
        }
    }
}

/// One transaction of a domain, side by side in the model and in a store.
public struct DomainChange<Pack: DomainPack>: Sendable {
    let model: @Sendable (inout Pack) -> Void
    let work: DomainWork

    /// A change that is made in a write transaction.
    public init(
        _ model: @escaping @Sendable (inout Pack) -> Void,
        transaction: @escaping @Sendable (WriteTransaction) throws -> Void
    ) {
        self.model = model
        work = .transaction(transaction)
    }

    /// A change that is made by a function of the program. It should be one transaction: of two, a crash between them leaves
    /// a state that is neither, and a crash test reports it.
    public init(
        _ model: @escaping @Sendable (inout Pack) -> Void,
        store: @escaping @Sendable (DaybookStore) async throws -> Void
    ) {
        self.model = model
        work = .program(store)
    }

    /// A change that must be refused with an error and leave everything as it was, such as a duplicate.
    public static func refused(transaction: @escaping @Sendable (WriteTransaction) throws -> Void) -> Self {
        Self(model: { _ in }, work: .refused(transaction))
    }

    init(model: @escaping @Sendable (inout Pack) -> Void, work: DomainWork) {
        self.model = model
        self.work = work
    }
}

/// What a change does in a store.
package enum DomainWork: Sendable {
    case transaction(@Sendable (WriteTransaction) throws -> Void)
    case program(@Sendable (DaybookStore) async throws -> Void)
    /// The transaction must throw.
    case refused(@Sendable (WriteTransaction) throws -> Void)
}

/// The arguments of an operation. A seed, a short sequence or a reproducer determines them.
public struct DomainDraw: Sendable {
    /// The number that all choices follow from; 0 in short sequences, where every choice is the first.
    public let number: Int
    /// The moment at which the operation is performed.
    public let now: Instant
    /// The day of that moment, in the store's zone.
    public let today: Day
    /// The store's zone.
    public let zone: Zone
    private var rest: Int

    package init(_ number: Int, at moment: DomainMoment) {
        self.number = number
        now = moment.now
        today = moment.today
        zone = moment.zone
        rest = number
    }

    /// Returns a number from 0 up to a limit, and another one at each call. Limits should multiply to less than a million.
    public mutating func below(_ limit: Int) -> Int {
        let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: max(limit, 1))
        rest = quotient
        return remainder
    }

    /// Returns one of several elements; nil if there is none.
    public mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

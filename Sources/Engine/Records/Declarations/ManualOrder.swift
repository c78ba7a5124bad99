/// A key that ends in a position: the records of a lane, in an order that a person has made.
public protocol PlacedKey: OrderedKey {
    /// What comes before the position: the list, the day, the state.
    associatedtype Lane: OrderedKey
    /// The lane.
    var lane: Lane { get }
    /// The position within the lane.
    var position: Int64 { get }
    /// The key of a position in a lane.
    init(lane: Lane, position: Int64)
}

/// The key of most orders: a lane, then a position.
public struct Placed<Lane: OrderedKey>: PlacedKey {
    /// The lane.
    public let lane: Lane
    /// The position within the lane.
    public let position: Int64

    /// The key of a position in a lane.
    public init(lane: Lane, position: Int64) {
        self.lane = lane
        self.position = position
    }

    /// The bytes of the lane and of the position.
    public static var width: Int { Lane.width + Int64.width }
    /// Whether the lane's bytes may be in errors.
    public static var isShownInErrors: Bool { Lane.isShownInErrors }
    /// Whether the lane's keys are of one length.
    public static var hasFixedWidth: Bool { Lane.hasFixedWidth }

    /// Adds its bytes to a key.
    public func encode(into key: inout KeyBytes) {
        lane.encode(into: &key)
        position.encode(into: &key)
    }

    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        lane = try Lane(decoding: &key)
        position = try Int64(decoding: &key)
    }
}

/// A place in an order: where a record is moved to.
public enum OrderPosition<ID: Sendable & Hashable>: Sendable, Hashable {
    /// Before every other record.
    case first
    /// After every other record.
    case last
    /// Directly before another record.
    case before(ID)
    /// Directly after another record.
    case after(ID)
    /// At an index among the records of the lane, from 0; at the end where there are fewer.
    case index(Int)
}

/// An order of records that a person makes by moving them: sparse positions, so that a move usually writes one record
/// (decision D5).
///
/// Declare it over an index whose key ends in the position. Nothing is stored for it beyond that index:
///
///     static let byPlace = Index<Step, Placed<UUID>>("byPlace") { Placed(lane: $0.list, position: $0.position) }
///     static let order = ManualOrder(byPlace, \.position)
///
/// A new record takes `transaction[Step.order].last(in: list)` as its position; `transaction.move(id, to: .first, in:
/// Step.order)` moves one, and `transaction[Step.order].preview(id, to: .first)` shows what that would lead to.
public struct ManualOrder<R: Record, Key: PlacedKey>: Sendable {
    /// The difference between records that are added one after another. 2^32 leaves room for 32 halvings, and for 2^31
    /// records each way.
    package static var gap: Int64 { 1 << 32 }

    let index: Index<R, Key>
    let position: WritableKeyPath<R, Int64> & Sendable
    let lanes: @Sendable (Key.Lane) -> [Key.Lane]

    /// An order by the positions in an index.
    ///
    /// - Parameters:
    ///   - position: the field that the index takes the position from.
    ///   - lanes: all lanes that share one line of positions with a lane, that one included. By default each lane has its own.
    ///     Where a record changes its lane without being moved by hand, such as a task that is completed, shared positions
    ///     keep its place among the others.
    public init(
        _ index: Index<R, Key>, _ position: WritableKeyPath<R, Int64> & Sendable,
        sharing lanes: @escaping @Sendable (Key.Lane) -> [Key.Lane] = { [$0] }
    ) {
        self.index = index
        self.position = position
        self.lanes = lanes
    }

    /// The key of a record; nil when the record is not in the order.
    package func key(of record: R) -> Key? { index.keys(of: record).first }
}

/// A key of several parts, which are encoded one after another: `Compound<UUID, Instant>`. Its first parts alone are a prefix of it.
public struct Compound<each Part: OrderedKey>: OrderedKey {
    /// The parts.
    public let parts: (repeat each Part)

    /// The key of some parts.
    @inlinable
    public init(_ parts: repeat each Part) {
        self.parts = (repeat each parts)
    }

    /// The bytes of all parts.
    @inlinable public static var width: Int {
        var width = 0
        for part in repeat (each Part).self { width += part.width }
        return width
    }

    /// Whether every part always has as many bytes.
    @inlinable public static var hasFixedWidth: Bool {
        for part in repeat (each Part).self { if !part.hasFixedWidth { return false } }
        return true
    }

    /// Whether no part can be a user's text.
    @inlinable public static var isShownInErrors: Bool {
        for part in repeat (each Part).self { if !part.isShownInErrors { return false } }
        return true
    }

    /// Adds the bytes of each part to a key.
    @inlinable
    public func encode(into key: inout KeyBytes) {
        for part in repeat each parts { part.encode(into: &key) }
    }

    /// Reads the parts from a key.
    @inlinable
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        parts = (repeat try (each Part)(decoding: &key))
    }
}

extension Compound: Equatable where repeat each Part: Equatable {
    /// Whether all parts are equal.
    public static func == (left: Compound, right: Compound) -> Bool {
        for (left, right) in repeat (each left.parts, each right.parts) { if left != right { return false } }
        return true
    }
}

extension Compound: Hashable where repeat each Part: Hashable {
    /// Hashes the parts.
    public func hash(into hasher: inout Hasher) {
        for part in repeat each parts { hasher.combine(part) }
    }
}

/// A type whose key is that of its parts: it gives them names, or makes another value of them.
///
///     struct LinkID: CompoundKey, Hashable {
///         let source: UUID
///         let target: UUID
///         var compound: Compound<UUID, UUID> { Compound(source, target) }
///     }
///     extension LinkID {
///         init(_ compound: Compound<UUID, UUID>) { (source, target) = compound.parts }
///     }
public protocol CompoundKey: OrderedKey {
    /// The parts together.
    associatedtype Parts: OrderedKey
    /// The key as its parts.
    var compound: Parts { get }
    /// The key of its parts.
    init(_ compound: Parts)
}

extension CompoundKey {
    /// The bytes of all parts.
    @inlinable public static var width: Int { Parts.width }
    /// Whether every part always has as many bytes.
    @inlinable public static var hasFixedWidth: Bool { Parts.hasFixedWidth }
    /// Whether no part can be a user's text.
    @inlinable public static var isShownInErrors: Bool { Parts.isShownInErrors }
    /// Adds the bytes of the parts to a key.
    @inlinable public func encode(into key: inout KeyBytes) { compound.encode(into: &key) }
    /// Reads the parts from a key.
    @inlinable public init(decoding key: inout KeyDecoder) throws(RecordsError) { self.init(try Parts(decoding: &key)) }
}

/// A fault injection point: a place where a promise is kept, and where tests can break it on purpose.
///
/// A crash lab or a simulator that never fails proves nothing. So each promise can be broken at the one place where it
/// is kept, and the lab must detect it (a negative control). Each module declares the points of its own promises. Only this
/// package can arm one.
package struct InjectionPoint: Hashable, Sendable, CustomStringConvertible {
    /// The name by which reproducers and commands arm it.
    package let name: String

    /// Declares a point that is called as the property that returns it: `package static var skipsLogFlush: Self { Self() }`.
    @inlinable
    package init(name: String = #function) {
        self.name = name
    }

    /// Returns the point of a name among some; nil if none has it.
    package init?(named name: some StringProtocol, among points: [Self]) {
        guard let point = points.first(where: { $0.name == name }) else { return nil }
        self = point
    }

    package var description: String { name }
}

/// The fault injection points that are armed for one store or one file: none, outside of tests and labs.
///
/// Keep it in a property called `injectionPoint`, so that the place reads `if injectionPoint(.flushesTwice)`. A point
/// that is not armed costs one comparison.
package struct ArmedInjectionPoints: Sendable, Hashable {
    @usableFromInline let points: [InjectionPoint]

    /// Arms some points; none without arguments.
    package init(_ points: InjectionPoint?...) {
        self.points = points.compactMap { $0 }
    }

    /// Whether no point is armed.
    package var isEmpty: Bool { points.isEmpty }

    /// Whether a point is armed.
    @inlinable
    package func callAsFunction(_ point: @autoclosure () -> InjectionPoint) -> Bool {
        !points.isEmpty && points.contains(point())
    }
}

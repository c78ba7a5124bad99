import Daybook

extension DaybookStore {
    /// Opens a store that commits directly, never through the commit log: for comparisons. Programs have no such
    /// choice.
    ///
    /// - Throws: what opening throws.
    public static func openDirectly(at path: String, context: Context) throws -> DaybookStore {
        try open(at: path, context: context, options: .direct)
    }
}

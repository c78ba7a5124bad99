/// What an application can do about an error (requirement S-40).
public enum ErrorKind: String, Sendable {
    /// Trying again in a moment may help.
    case transient
    /// The caller can change what it asks for.
    case recoverable
    /// Something has to be mended first: space, permission, damage.
    case permanent
}

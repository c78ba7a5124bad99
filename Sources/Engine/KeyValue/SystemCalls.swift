import FileSystem
import SystemErrors

/// Makes a call of the system, and throws its failure as an error of the store.
///
/// - Parameters:
///   - operation: what the call is for, to follow "Unable to".
///   - path: the path that the error names, if it does.
func systemCall<Result>(
    _ operation: String, on path: String? = nil, _ call: @autoclosure () throws(SystemCondition) -> Result
) throws(KeyValueError) -> Result {
    do throws(SystemCondition) {
        return try call()
    } catch {
        guard let path else { throw .refused(operation, code: error.code) }
        throw .refused(operation, on: path, code: error.code)
    }
}

/// Takes a lock on the file at a path, where a missing file means that there is no store.
private func locking<Result>(
    _ path: String, _ call: @autoclosure () throws(SystemCondition) -> Result
) throws(KeyValueError) -> Result {
    do throws(SystemCondition) {
        return try call()
    } catch {
        throw error.isMissing ? .storeNotFound(path: path) : .refused("lock the store", on: path, code: error.code)
    }
}

extension FileLock {
    /// Locks what is at a path; nil when somebody holds a lock that excludes this one.
    static func take(_ path: String, _ mode: LockMode, waits: Bool = false) throws(KeyValueError) -> FileLock? {
        try locking(path, FileLock(path, mode, waits: waits))
    }
}

extension RangeLockFile {
    /// Opens what is at a path.
    ///
    /// - Parameter store: the store's folder, which errors name.
    static func open(_ path: String, _ mode: LockMode, ofStore store: String) throws(KeyValueError) -> RangeLockFile {
        try locking(store, RangeLockFile(path, mode))
    }
}

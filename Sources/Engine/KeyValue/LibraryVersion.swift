import CLMDB

/// The version of LMDB that this program runs with, for example "0.9.24".
public func lmdbVersion() -> String {
    var major: Int32 = 0
    var minor: Int32 = 0
    var patch: Int32 = 0
    unsafe _ = mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
}

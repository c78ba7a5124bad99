import CZstd

/// The library that compresses.
package enum ZstdLibrary {
    /// Its version, such as `1.5.4`: another one may make other bytes of the same.
    package static var version: String {
        let number = ZSTD_versionNumber()
        return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
    }
}

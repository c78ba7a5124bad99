import Foundation

/// The id that ends with a number.
package func uuid(_ number: Int) -> UUID {
    let digits = String(number, radix: 16)
    return UUID(uuidString: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)!
}

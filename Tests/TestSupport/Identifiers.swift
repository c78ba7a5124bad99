import Foundation

/// Returns the id whose last bytes are a number, in the order of the numbers.
package func uuid(_ number: some BinaryInteger) -> UUID {
    let low = UInt64(number)
    func byte(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: low >> (8 * place)) }
    return UUID(
        uuid: (
            0, 0, 0, 0, 0, 0, 0, 0, byte(7), byte(6), byte(5), byte(4), byte(3), byte(2), byte(1), byte(0)
        ))
}

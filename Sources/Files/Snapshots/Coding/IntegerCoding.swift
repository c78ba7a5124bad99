/// The coding of a run of 64-bit numbers: split until planes are left, each with one byte of every number, since bytes
/// of the same weight are the most alike.
///
/// The numbers are differences from a prediction, so they may have either sign, and all arithmetic wraps around.
enum IntegerCoding: UInt8 {
    /// Each number is an offset plus a factor times the number in the planes.
    case planes = 0
    /// Each number is a factor times the number in the planes, in zigzag order: 0, -1, 1, -2…
    case signedPlanes = 1
    /// Each number divided by a modulus: the quotients, then the remainders.
    case split = 2
    /// One bit for each number that states whether it is zero, then the other numbers.
    case sparse = 3

    /// Quotients and remainders can be split once more, as sparse numbers, but no deeper.
    static let depthLimit = 3
    /// The difference of two instants is often a whole number of seconds.
    private static let second: UInt64 = 1_000_000

    // MARK: Writing

    static func write(_ numbers: [UInt64], to writer: inout StreamWriter, depth: Int = 0) {
        if depth < depthLimit - 1, depth == 0, splitsIntoSeconds(numbers) {
            writer.byte(split.rawValue)
            writer.shortInteger(second)
            var quotients = numbers
            var remainders = numbers
            for index in numbers.indices {
                let (quotient, remainder) = floorDivide(numbers[index], by: second)
                quotients[index] = quotient
                remainders[index] = remainder
            }
            write(quotients, to: &writer, depth: depth + 1)
            write(remainders, to: &writer, depth: depth + 1)
        } else if depth < depthLimit, isWorthSparing(numbers) {
            writer.byte(sparse.rawValue)
            var bits = [UInt8](repeating: 0, count: (numbers.count + 7) / 8)
            var others: [UInt64] = []
            others.reserveCapacity(numbers.count)
            for index in numbers.indices where numbers[index] != 0 {
                bits[index >> 3] |= 1 << UInt8(index & 7)
                others.append(numbers[index])
            }
            writer.stream(bits)
            write(others, to: &writer, depth: depthLimit)
        } else {
            writePlanes(of: numbers, to: &writer)
        }
    }

    private static func writePlanes(of numbers: [UInt64], to writer: inout StreamWriter) {
        var lowest = Int64.max
        var highest = Int64.min
        for number in numbers {
            lowest = min(lowest, Int64(bitPattern: number))
            highest = max(highest, Int64(bitPattern: number))
        }
        if numbers.isEmpty { (lowest, highest) = (0, 0) }
        // An offset suits numbers between two bounds, not numbers that are small with a few exceptions.
        let isSigned = lowest < 0 && resemblesZero(numbers, lowest: lowest, highest: highest)
        let offset = isSigned ? 0 : UInt64(bitPattern: lowest)
        let factor = commonFactor(of: numbers, above: offset, isSigned: isSigned)
        var planed = numbers
        var widest: UInt64 = 0
        for index in planed.indices {
            var number = planed[index] &- offset
            if isSigned {
                if factor != 1 { number = UInt64(bitPattern: Int64(bitPattern: number) / Int64(bitPattern: factor)) }
                number = zigzag(number)
            } else if factor != 1 {
                number /= factor
            }
            widest |= number
            planed[index] = number
        }
        let width = (64 - widest.leadingZeroBitCount + 7) / 8
        writer.byte(isSigned ? signedPlanes.rawValue : self.planes.rawValue)
        if !isSigned { writer.shortInteger(offset) }
        writer.shortInteger(factor)
        writer.byte(UInt8(width))
        var plane = [UInt8](repeating: 0, count: numbers.count)
        for index in 0..<width {
            let shift = UInt64(index * 8)
            for position in plane.indices { plane[position] = UInt8(truncatingIfNeeded: planed[position] >> shift) }
            writer.stream(plane)
        }
    }

    /// Whether at least an eighth, but not all, are whole numbers of seconds.
    private static func splitsIntoSeconds(_ numbers: [UInt64]) -> Bool {
        var whole = 0
        var other = 0
        var large = 0
        for number in numbers.prefix(4_096) where number != 0 {
            if number.magnitude % second == 0 || (0 &- number) % second == 0 { whole += 1 } else { other += 1 }
            if Int64(bitPattern: number).magnitude >= second { large += 1 }
        }
        return whole * 8 > whole + other && other > 0 && large * 2 > whole + other
    }

    /// Whether so many numbers are zero that a bit for each costs less than their bytes, and the others are not small.
    private static func isWorthSparing(_ numbers: [UInt64]) -> Bool {
        guard numbers.count >= 64 else { return false }
        var zeros = 0
        var large = 0
        for number in numbers {
            if number == 0 { zeros += 1 }
            if zigzag(number) >= 4_096 { large += 1 }
        }
        return zeros * 16 > numbers.count && large * 2 > numbers.count - zeros && zeros < numbers.count
    }

    /// Whether most numbers are closer to zero than to the lowest one.
    private static func resemblesZero(_ numbers: [UInt64], lowest: Int64, highest: Int64) -> Bool {
        var signed = [UInt32](repeating: 0, count: 65)
        var shifted = signed
        let step = max(1, numbers.count / 4_096)
        var total = 0
        for index in stride(from: 0, to: numbers.count, by: step) {
            signed[64 - zigzag(numbers[index]).leadingZeroBitCount] += 1
            shifted[64 - (numbers[index] &- UInt64(bitPattern: lowest)).leadingZeroBitCount] += 1
            total += 1
        }
        return ByteEstimate.bits(of: signed, total: total) < ByteEstimate.bits(of: shifted, total: total)
    }

    private static func commonFactor(of numbers: [UInt64], above offset: UInt64, isSigned: Bool) -> UInt64 {
        var factor: UInt64 = 0
        for number in numbers {
            let distance = isSigned ? Int64(bitPattern: number).magnitude : number &- offset
            if factor == 0 || distance % factor != 0 { factor = greatestDivisor(factor, distance) }
            if factor == 1 { return 1 }
        }
        // A signed number uses a signed factor.
        return factor == 0 || isSigned && factor > UInt64(Int64.max) ? 1 : factor
    }

    private static func greatestDivisor(_ left: UInt64, _ right: UInt64) -> UInt64 {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return left
    }

    // MARK: Reading

    static func read(
        count: Int, from reader: inout StreamReader, depth: Int = 0
    ) throws(SnapshotDamage) -> [UInt64] {
        guard let coding = IntegerCoding(rawValue: try reader.cursor.byte()) else {
            throw SnapshotDamage("numbers are coded in an unknown way")
        }
        switch coding {
        case .planes: return try readPlanes(count, isSigned: false, from: &reader)
        case .signedPlanes: return try readPlanes(count, isSigned: true, from: &reader)
        case .split:
            guard depth < depthLimit else { throw SnapshotDamage("numbers are split too deeply") }
            let modulus = try reader.cursor.shortInteger()
            var numbers = try read(count: count, from: &reader, depth: depth + 1)
            let remainders = try read(count: count, from: &reader, depth: depth + 1)
            for index in numbers.indices { numbers[index] = numbers[index] &* modulus &+ remainders[index] }
            return numbers
        case .sparse:
            guard depth < depthLimit else { throw SnapshotDamage("numbers are split too deeply") }
            let bits = try reader.stream(count: (count + 7) / 8)
            if count & 7 != 0, bits[count >> 3] >> UInt8(count & 7) != 0 {
                throw SnapshotDamage("a bitmap is longer than its column")
            }
            var total = 0
            for byte in bits { total += byte.nonzeroBitCount }
            let others = try read(count: total, from: &reader, depth: depthLimit)
            var numbers = [UInt64](repeating: 0, count: count)
            var next = 0
            for index in numbers.indices where bits[index >> 3] >> UInt8(index & 7) & 1 == 1 {
                numbers[index] = others[next]
                next += 1
            }
            return numbers
        }
    }

    private static func readPlanes(
        _ count: Int, isSigned: Bool, from reader: inout StreamReader
    ) throws(SnapshotDamage) -> [UInt64] {
        let offset = isSigned ? 0 : try reader.cursor.shortInteger()
        let factor = try reader.cursor.shortInteger()
        let width = try reader.cursor.byte()
        guard width <= 8 else { throw SnapshotDamage("numbers are too wide") }
        var numbers = [UInt64](repeating: 0, count: count)
        for index in 0..<Int(width) {
            let plane = try reader.stream(count: count)
            let shift = UInt64(index * 8)
            for position in plane.indices { numbers[position] |= UInt64(plane[position]) << shift }
        }
        if isSigned {
            for index in numbers.indices { numbers[index] = unzigzag(numbers[index]) &* factor }
        } else {
            for index in numbers.indices { numbers[index] = numbers[index] &* factor &+ offset }
        }
        return numbers
    }

    // MARK: Arithmetic

    static func zigzag(_ number: UInt64) -> UInt64 {
        number << 1 ^ UInt64(bitPattern: Int64(bitPattern: number) >> 63)
    }

    private static func unzigzag(_ number: UInt64) -> UInt64 {
        number >> 1 ^ (0 &- (number & 1))
    }

    private static func floorDivide(_ number: UInt64, by modulus: UInt64) -> (UInt64, UInt64) {
        let value = Int64(bitPattern: number)
        let divisor = Int64(bitPattern: modulus)
        var quotient = value / divisor
        var remainder = value % divisor
        if remainder < 0 {
            quotient -= 1
            remainder += divisor
        }
        return (UInt64(bitPattern: quotient), UInt64(bitPattern: remainder))
    }
}

/// How the content of a field is written, so that a version that does not know the field can step over it.
enum FieldForm: UInt8 {
    case oneByte = 1
    case fourBytes = 2
    case eightBytes = 3
    case sixteenBytes = 4
    /// A length of one byte, then so many bytes.
    case shortBytes = 5
    /// A length of four bytes, little-endian, then so many bytes.
    case longBytes = 6
}

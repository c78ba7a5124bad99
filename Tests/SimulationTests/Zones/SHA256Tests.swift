import Testing

@testable import Simulation

@Suite struct SHA256Tests {
    /// The first two are of FIPS 180-2; the third was computed by another program, and needs two blocks of padding.
    @Test(
        "The hash is SHA 256",
        arguments: [
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (String(repeating: "a", count: 119), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
        ])
    func theHashIsSHA256(message: String, digest: String) {
        #expect(ZoneDays.hexadecimalSHA256(of: Array(message.utf8)) == digest)
    }
}

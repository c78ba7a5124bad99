import FoundationEssentials
import HTTPTypes
import HubCore
import HubMessages
import HubTestSupport
import Sync
import Testing

@testable import HubServer

@Suite("Spaces on several hubs", .timeLimit(.minutes(2)))
struct DirectoryTests {
    private static let text = """
        # Three hubs.
        0000-7fff https://a.example

        8000-bfff https://b.example   # since March
        c000-ffff moving
        """

    @Test(
        "The hub's own address is one that devices can follow",
        arguments: ["https://a.example/", "moving", "a.example", ""])
    func ownAddress(_ own: String) {
        #expect(throws: HubStartError.self) { try SpaceDirectory(Self.text, own: own) }
    }

    @Test("Lines may end as on any system")
    func lineEnds() throws {
        let text = Self.text.replacing("\n", with: "\r\n")
        #expect(
            try SpaceDirectory(text, own: "https://a.example") == SpaceDirectory(Self.text, own: "https://a.example"))
    }

    @Test("Each space is at one place, by the first two bytes of its id")
    func places() throws {
        let directory = try SpaceDirectory(Self.text, own: "https://b.example")
        for value in stride(from: 0, to: 1 << 16, by: 251) {
            let bytes = [UInt8(value >> 8), UInt8(value & 0xFF)] + [UInt8](repeating: 0x9C, count: 14)
            let place = directory.place(of: try #require(UUID(bytes: bytes)))
            switch value {
            case ..<0x8000: #expect(place == .elsewhere("https://a.example"))
            case ..<0xC000: #expect(place == .here)
            default: #expect(place == .moving)
            }
        }
    }

    @Test(
        "A directory with a gap, an overlap or another line is refused, with the line that is wrong",
        arguments: [
            ("0000-7fff https://a.example", "ends before the spaces with 8000"),
            (
                "0000-7fff https://a.example\n7fff-ffff https://b.example",
                "Line 2 of the directory does not begin with 8000"
            ),
            (
                "0000-7fff https://a.example\n9000-ffff https://b.example",
                "Line 2 of the directory does not begin with 8000"
            ),
            ("0000-ffff", "Line 1 of the directory is not FIRST-LAST ADDRESS"),
            ("\nffff-0000 https://a.example", "Line 2 of the directory is not FIRST-LAST ADDRESS"),
            ("0000-ffff http://a.example", "Line 1 of the directory has no address https://HOST"),
            ("0000-ffff http://127.evil", "Line 1 of the directory has no address https://HOST"),
            ("0000-ffff https://a.example/", "Line 1 of the directory has no address https://HOST"),
            ("0000-ffff https://", "Line 1 of the directory has no address https://HOST"),
            ("0000-ffff https://a.example", "No line of the directory has this hub's address"), ("", "0000"),
        ])
    func refused(_ text: String, _ problem: String) {
        #expect { try SpaceDirectory(text, own: "https://own.example") } throws: { "\($0)".contains(problem) }
    }

    @Test(
        "Every request about a space of another hub is answered with that hub's address, and about a moving one with 503"
    )
    func answers() async throws {
        for (place, status, address) in [
            (SpacePlace.elsewhere("https://b.example"), 421, "https://b.example"), (.moving, 503, nil),
        ] {
            var settings = HubSettings()
            settings.place = { _ in place }
            try await ServerFixture.run(settings: settings) { fixture in
                let space = "/v1/spaces/\(fixture.space)"
                let registration = ServerFixture.registration(1)
                let session = try fixture.sessionRequest(1, Data(repeating: 1, count: 32))
                let answers = [
                    try await fixture.post("/v1/spaces", SpaceRequest(space: fixture.space, device: registration)),
                    try await fixture.post("/v1/sessions/challenge", ChallengeRequest(space: fixture.space, device: 1)),
                    try await fixture.post("/v1/sessions", session),
                    try await fixture.post("\(space)/devices", JoinRequest(token: nil, device: registration)),
                    try await fixture.request(.get, "\(space)/devices", token: "x"),
                    try await fixture.request(.delete, "\(space)/devices/1", token: "x"),
                    try await fixture.request(.post, "\(space)/invites", token: "x"),
                    try await fixture.request(.post, "\(space)/sync", token: "x"),
                    try await fixture.request(.post, "\(space)/records", token: "x"),
                    try await fixture.request(.get, "\(space)/watch?after=0", token: "x"),
                ]
                let name = try #require(HTTPField.Name("Daybook-Hub"))
                for answer in answers {
                    #expect(answer.status == status)
                    #expect(answer.headers[name] == address)
                }
            }
        }
    }
}

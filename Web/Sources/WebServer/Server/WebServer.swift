import Daybook
import FlyingFox
import FlyingSocks
import FoundationEssentials

/// A server of pages that show a store, on the loopback interface only.
public final class WebServer: Sendable {
    /// What a server is started with.
    public struct Options: Sendable {
        /// The port; 0 for any that is free.
        public var port: UInt16 = 0
        /// Whether the pages can change nothing.
        public var isReadOnly = false
        /// A folder to read the pages' files from, instead of those in the program.
        public var pages: String?
        /// The program that does jobs of the store in a process of its own, by ``JobCommand``; nil for this process.
        public var program: String?

        /// The options by default.
        public init() {}
    }

    private let options: Options
    private let open: @Sendable (_ isFirst: Bool) throws -> DaybookStore
    private let texts: any DaybookTexts

    /// Creates a server, which does nothing yet.
    ///
    /// - Parameter open: Opens the store: at the start, and again, when it was replaced or removed; then it should not create one.
    public init(
        _ options: Options, texts: any DaybookTexts = EnglishTexts(),
        open: @escaping @Sendable (_ isFirst: Bool) throws -> DaybookStore
    ) {
        (self.options, self.texts, self.open) = (options, texts, open)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameters:
    ///   - ready: Is given the address to open, with its token.
    ///   - announce: Is given a code that unlocks the journals, when a page asks for it: show it to whoever has started the server.
    /// - Throws: Errors of opening the store; `SocketError` if the port is taken.
    public func run(
        _ ready: @escaping @Sendable (String) -> Void, announce: @escaping @Sendable (String) -> Void
    ) async throws {
        let store = try open(true)
        let socket = try Self.freePort(.inet(ip4: "127.0.0.1", port: options.port))
        let access = Access(port: socket)
        let board = await Board(
            store, isReadOnly: options.isReadOnly, texts: texts, pageToken: access.pageToken, program: options.program
        ) { [open] in try open(false) }
        await board.announceCodes(announce)
        let handler = Handler(access: access, board: board, files: PageFiles(folder: options.pages))
        func server(at address: some SocketAddress) -> HTTPServer {
            HTTPServer(
                config: HTTPServer.Configuration(
                    address: address, timeout: 600, pool: PromptSockets(), logger: .disabled),
                handler: handler)
        }
        let first = try server(at: .inet(ip4: "127.0.0.1", port: socket))
        // Where the system has no IPv6, one address has to do.
        let second = try? server(at: .inet6(ip6: "::1", port: socket))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await first.run() }
            if let second { group.addTask { try? await second.run() } }
            group.addTask {
                try await first.waitUntilListening(timeout: 10)
                ready(access.address)
            }
            group.addTask { await board.beat() }
            try await group.waitForAll()
        }
    }

    /// Finds a free port, so that both addresses have the same one.
    private static func freePort(_ address: some SocketAddress) throws -> UInt16 {
        let socket = try Socket(domain: Int32(address.family))
        defer { try? socket.close() }
        try socket.setValue(true, for: .localAddressReuse)
        try socket.bind(to: address)
        guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.unsupportedAddress }
        return port
    }
}

/// Answers requests: checks who asks, and passes them on.
struct Handler: HTTPHandler {
    let access: Access
    let board: Board
    let files: PageFiles

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let head = Access.Head(
            method: request.method.rawValue, path: request.path, tokenInAddress: request.query["token"],
            host: request.headers[.host], origin: request.headers[HTTPHeader("Origin")],
            site: request.headers[HTTPHeader("Sec-Fetch-Site")], cookies: request.headers[.cookie],
            pageToken: request.headers[HTTPHeader("X-Daybook")])
        switch access.verdict(on: head) {
        case .refused(let reason):
            return response(
                WebResponse(status: 403, type: "text/plain; charset=utf-8", body: Data((reason + "\n").utf8)))
        case .enters:
            var response = response(WebResponse(status: 303, type: "text/plain", body: Data()))
            response.headers[.location] = "/"
            response.headers[.setCookie] = access.cookieHeader
            return response
        case .allowed: break
        }
        let path = request.path.split(separator: "/").map(String.init)
        if path == ["events"] { return await events(showing: request.query["show"]) }
        return response(try await answer(request, path))
    }

    private func answer(_ request: HTTPRequest, _ path: [String]) async throws -> WebResponse {
        var asked = WebRequest(
            path: Array(path.dropFirst()),
            query: Dictionary(request.query.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
        if request.method == .POST {
            asked.changes = true
            asked.body = try await request.bodyData
        }
        switch (path.first, request.method) {
        case (nil, .GET): return files.answer("index.html") ?? .missing
        case ("show", .POST), ("do", .POST), ("store", _), ("statistics", .GET):
            return await board.answer(path[0], asked)
        case (let name?, .GET) where path.count == 1: return files.answer(name) ?? .missing
        default: return .missing
        }
    }

    private func events(showing parts: String?) async -> HTTPResponse {
        let asked = (try? WebRequest(body: Data((parts ?? "[]").utf8)).decoded([PartRequest].self)) ?? []
        let stream = await board.openPage(showing: asked)
        return HTTPResponse(
            statusCode: .ok, headers: headers("text/event-stream"), body: HTTPBodySequence(from: stream))
    }

    private func response(_ answer: WebResponse) -> HTTPResponse {
        HTTPResponse(
            statusCode: answer.statusCode,
            headers: headers(answer.type), body: answer.body)
    }

    private func headers(_ type: String) -> HTTPHeaders {
        [
            .contentType: type, .cacheControl: "no-store",
            HTTPHeader("Content-Security-Policy"):
                "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            HTTPHeader("X-Content-Type-Options"): "nosniff", HTTPHeader("X-Frame-Options"): "DENY",
            HTTPHeader("Referrer-Policy"): "no-referrer", HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
            HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
        ]
    }
}

extension WebResponse {
    fileprivate var statusCode: HTTPStatusCode {
        switch status {
        case 200: .ok
        case 303: .seeOther
        case 403: .forbidden
        case 404: .notFound
        default: .internalServerError
        }
    }
}

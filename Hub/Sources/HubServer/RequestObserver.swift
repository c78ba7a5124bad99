import Daybook
import HTTPTypes
import HubCore
import Hummingbird
import HummingbirdCore
import Logging
import Sync

/// Turns errors into answers, counts and times requests, and logs them: by route and status, never by content.
struct RequestObserver: RouterMiddleware {
    typealias Context = HubContext

    let metrics: HubMetrics
    let logger: Logger
    let clock: any TimeSource

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        let start = clock.monotonic
        let response: Response
        do {
            response = try await next(request, context)
        } catch let refusal as SyncRefusal {
            response = .refusal(refusal)
        } catch let refusal as AccountRefusal {
            response = .refusal(refusal)
        } catch let error as Misdirected {
            response = error.response
        } catch let error as HTTPError {
            response = Response(status: error.status)
        } catch is CancellationError {
            response = .refusal(SyncRefusal.unavailable)
        } catch {
            // The type alone: a description may quote what was sent.
            logger.error("unexpected error", metadata: ["type": "\(type(of: error))"])
            response = .refusal(SyncRefusal.unavailable)
        }
        let route = context.endpointPath ?? "none"
        let seconds = Double(clock.monotonic.microseconds(since: start)) / 1_000_000
        let status = "\(response.status.code)"
        metrics.add("hub_requests_total", ["route": route, "status": status])
        metrics.observe("hub_request_seconds", ["route": route], seconds: seconds)
        logger.log(
            level: response.status.code >= 500 ? .warning : .info, "request",
            metadata: [
                "method": "\(request.method.rawValue)", "route": "\(route)", "status": "\(status)",
                "milliseconds": "\(Int(seconds * 1000))",
            ])
        return response
    }
}

import WebSocketTransport

/// The headers by which a browser lets a page of another origin use `/api/` (CORS).
///
/// The transport has refused origins that are not allowed, so the origin of each request that arrives here is this
/// server's own or a listed one.
struct CrossOrigin: Sendable {
    static let prefix = "/api/"

    /// `nil` when the request does not come from a page, or concerns no path under `/api/`.
    private let origin: String?
    private let allowsAny: Bool

    init(_ request: HTTPRequest, allowed: [String]?) {
        origin = request.path.hasPrefix(Self.prefix) ? request.headers["origin"] : nil
        allowsAny = allowed?.contains("*") == true
    }

    /// Lets the page read the response. A page of an origin that is listed by name may send credentials.
    func applied(to response: HTTPResponse) -> HTTPResponse {
        guard let origin else { return response }
        var response = response
        response.headers += allowing(origin)
        response.headers.append(
            ("access-control-expose-headers", "etag, retry-after, www-authenticate, allow, upload-offset"))
        return response
    }

    /// Returns the answer to a browser's question whether a page may send a request, before ``applied(to:)``.
    func preflight(allowing methods: String) -> HTTPResponse {
        HTTPResponse(
            status: 204,
            headers: [
                ("allow", methods), ("access-control-allow-methods", methods),
                (
                    "access-control-allow-headers",
                    "authorization, content-type, content-range, idempotency-key, if-none-match"
                ),
                ("access-control-max-age", "600"),
            ])
    }

    private func allowing(_ origin: String) -> [(name: String, value: String)] {
        if allowsAny { return [("access-control-allow-origin", "*")] }
        return [
            ("access-control-allow-origin", origin), ("access-control-allow-credentials", "true"), ("vary", "origin"),
        ]
    }
}

/// The one answer to a request of `/api/`.
struct Reply: Sendable {
    let transport: WebSocketServer
    let id: RequestID
    let crossOrigin: CrossOrigin

    func callAsFunction(_ response: HTTPResponse) {
        transport.respond(to: id, crossOrigin.applied(to: response))
    }
}

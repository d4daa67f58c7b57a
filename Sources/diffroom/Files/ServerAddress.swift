import WebSocketTransport

/// Returns the web address of a URL that a server has sent: an absolute one, or a path on that server.
///
/// ```swift
/// webAddress("/api/files/x", on: "wss://chat.example/ws")  // https://chat.example/api/files/x
/// ```
///
/// - Parameter server: the address of its WebSocket.
func webAddress(_ url: String, on server: String) -> String {
    guard url.hasPrefix("/"), let server = try? WebSocketURL(server) else { return url }
    let host = server.host.contains(":") ? "[\(server.host)]" : server.host
    let port = server.port == (server.isSecure ? 443 : 80) ? "" : ":\(server.port)"
    return "\(server.isSecure ? "https" : "http")://\(host)\(port)\(url)"
}

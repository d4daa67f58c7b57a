import Foundation
import Glibc

/// The whole answer to a plain HTTP request, on a connection of its own.
package struct HTTPAnswer {
    package let status: Int
    /// By lower-case name.
    package let headers: [String: String]
    package let body: [UInt8]

    /// Gets `path` from this machine. Blocks the thread until the answer is there.
    package init(getting path: String, from port: UInt16, headers: [String: String] = [:]) throws {
        try self.init("GET \(path)", to: port, headers, body: [])
    }

    /// Gets what `path` has, without a body.
    package init(asking path: String, of port: UInt16) throws {
        try self.init("HEAD \(path)", to: port, [:], body: [])
    }

    /// Puts bytes at `path` on this machine.
    package init(
        putting body: some Collection<UInt8>, at path: String, of port: UInt16, headers: [String: String] = [:]
    ) throws {
        let own = ["Content-Length": "\(body.count)"]
        try self.init("PUT \(path)", to: port, own.merging(headers) { $1 }, body: Array(body))
    }

    /// Posts `body` to `path` on this machine, as JSON unless `headers` name another type. Blocks the thread until the
    /// answer is there.
    package init(posting body: String, to path: String, of port: UInt16, headers: [String: String] = [:]) throws {
        let own = ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"]
        try self.init("POST \(path)", to: port, own.merging(headers) { $1 }, body: Array(body.utf8))
    }

    private init(_ request: String, to port: UInt16, _ headers: [String: String], body: [UInt8]) throws {
        let socket = FileHandle(
            fileDescriptor: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), closeOnDealloc: true)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let refused = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.fileDescriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard refused == 0 else { throw ConnectionError.ended }
        let lines = ["\(request) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + headers.map { "\($0): \($1)" }
        try socket.write(contentsOf: Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8 + body))
        try self.init(socket.readDataToEndOfFile())
    }

    private init(_ bytes: Data) throws {
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { throw ConnectionError.ended }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw ConnectionError.ended
        }
        self.status = status
        headers = Dictionary(
            lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map { colon in
                    (line[..<colon].lowercased(), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
                }
            }, uniquingKeysWith: { $1 })
        body = Array(bytes[end.upperBound...])
    }
}

internal import CChatSocket

/// The reason for which a server or client could not start. Nothing is left running.
package enum TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process listens on the port.
    case portInUse(host: String, port: UInt16)
    /// The host is not an address of this machine, nor the name of one.
    case badAddress(String)
    /// The system does not let this user listen on the port.
    case notPermitted(port: UInt16)
    /// The certificate or its key cannot be used. The text says which file, and why.
    case badCertificate(String)
    /// The file of authorities cannot be used.
    case badAuthorities(String)
    /// libwebsockets cannot use libuv, because its plug-in is not installed.
    case pluginMissing
    /// The system refused for another reason, which `errno` names.
    case cannotListen(host: String, port: UInt16, errno: Int32)

    package var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use by another process: stop that one, or choose another port"
        case .badAddress(let host):
            "\(host) is no address of this machine: use 127.0.0.1, 0.0.0.0, :: or the address of an interface"
        case .notPermitted(let port):
            "this user may not listen on port \(port): choose one from 1024 up"
        case .badCertificate(let why):
            "the certificate cannot be used: \(why)"
        case .badAuthorities(let file):
            "\(file): there are no certificates of authorities in it; it must be a PEM file"
        case .pluginMissing:
            "libwebsockets cannot use libuv: install the package libwebsockets-evlib-uv"
        case .cannotListen(let host, let port, let errno):
            "cannot listen on \(host):\(port): system error \(errno)"
        }
    }

    init(_ error: chatsock_error, host: String, port: UInt16, detail: Int32) {
        switch error {
        case CHATSOCK_PORT_IN_USE: self = .portInUse(host: host, port: port)
        case CHATSOCK_BAD_ADDRESS: self = .badAddress(host)
        case CHATSOCK_NOT_PERMITTED: self = .notPermitted(port: port)
        case CHATSOCK_NO_PLUGIN: self = .pluginMissing
        default: self = .cannotListen(host: host, port: port, errno: detail)
        }
    }
}

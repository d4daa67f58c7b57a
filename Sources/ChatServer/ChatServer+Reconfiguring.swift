import Locking
import WebSocketTransport

extension ChatServer {
    /// Applies the settings of `configuration` that can change while the server runs: the drain, the limit of
    /// connections, the allowances, and the retention. Present connections stay.
    package func reconfigure(_ configuration: ChatServerConfiguration) {
        drainPolicy.withLock { $0 = configuration.drain }
        quotas.allow(configuration.allowances)
        retention.keep(configuration.retention)
        transport.limitConnections(to: configuration.transport.maxConnections)
    }

    /// Reads the certificate's files again, for new connections.
    ///
    /// - Throws: ``TransportError/badCertificate(_:)``; the last certificate stays in use.
    package func reloadCertificate() throws {
        try transport.reloadCertificate()
    }
}

import Locking
import WebSocketTransport

extension ChatServer {
    /// Takes over of `configuration` what can change while the server runs: how a drain goes, how many may be
    /// connected, how much each may say, and what is kept. Who is connected stays so.
    package func reconfigure(_ configuration: ChatServerConfiguration) {
        drainPolicy.withLock { $0 = configuration.drain }
        quotas.allow(configuration.allowances)
        retention.keep(configuration.retention)
        transport.limitConnections(to: configuration.transport.maxConnections)
    }

    /// Reads the certificate's files again, for whoever connects from now on.
    ///
    /// - Throws: ``TransportError/badCertificate(_:)``; the last one stays in use.
    package func reloadCertificate() throws {
        try transport.reloadCertificate()
    }
}

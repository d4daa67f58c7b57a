/// The times that a draining server takes.
package struct DrainPolicy: Equatable, Sendable {
    /// The time for which the server goes on serving and answers `/readyz` with 503, so that load balancers send no
    /// more clients.
    ///
    /// It is skipped if none has asked `/readyz` in the last ``attention``.
    package var delay = Duration.zero
    /// The time for saying goodbye.
    package var time = Duration.seconds(10)

    /// Longer than a load balancer's interval between two checks.
    static let attention = Duration.seconds(60)

    package init() {}
}

/// How long a server that ends takes for what.
package struct DrainPolicy: Equatable, Sendable {
    /// How long it goes on serving and answers `/readyz` with 503, so that load balancers send nobody any more. Skipped
    /// where none has asked `/readyz` in the last ``attention``.
    package var delay = Duration.zero
    /// How long saying goodbye may take.
    package var time = Duration.seconds(10)

    /// A load balancer asks more often than this.
    static let attention = Duration.seconds(60)

    package init() {}
}

import ChatWire

/// The credential of a client that wants to be let in, or to stay.
package struct AuthenticationRequest: Equatable, Sendable {
    let credential: ClientFrame.Credential
    /// The handshake's header of this name.
    let authorization: String?
    /// The `ref` of the command to be answered.
    let ref: UInt64
}

package import ChatWire
package import Files
package import Tokens

/// The properties of a server that clients are told, and what sessions share.
package struct ServerIdentity: Sendable {
    let name: String
    let heartbeat: Milliseconds
    let limits: WireLimits
    /// See ``Welcome/route``.
    let route: String?
    let authenticator: Authenticator
    let quotas: Quotas
    /// `nil` for a server that keeps no files.
    let files: FileTickets?

    package init(
        name: String, heartbeat: Milliseconds, limits: WireLimits, route: String? = nil,
        authenticator: Authenticator = Authenticator(),
        quotas: Quotas = Quotas(), files: FileTickets? = nil
    ) {
        self.files = files
        (self.route, self.authenticator, self.quotas) = (route, authenticator, quotas)
        self.name = name
        self.heartbeat = heartbeat
        self.limits = limits
    }

    /// Returns whether a peer is the server that it claims to be.
    package func check(_ authentication: AuthenticationRequest, at time: Milliseconds) -> Result<Bearer, WireError> {
        do throws(WireError) {
            return .success(
                try authenticator.authenticate(authentication.credential, authentication.authorization, at: time))
        } catch {
            return .failure(error)
        }
    }

    /// The content of a message, whose files were uploaded for it by its author.
    func checked(
        _ content: MessageContent, of message: MessageID, in room: RoomName, by user: UserName
    ) throws(WireError) -> MessageContent {
        guard !content.files.isEmpty, let files else { return content.withoutProofs }
        return try files.checked(content, of: message, in: room, by: user, at: .now)
    }

    func welcome(_ user: UserName, at time: Milliseconds) -> Welcome {
        Welcome(
            user: user, server: name, heartbeat: heartbeat, limits: limits, rates: WireRates(quotas.allowances),
            route: route, time: time)
    }
}

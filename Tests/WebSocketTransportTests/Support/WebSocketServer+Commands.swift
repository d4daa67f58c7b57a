import WebSocketTransport

// One command at a time.
extension WebSocketServer {
    func attach(_ connection: ConnectionID, to topic: TopicID, at revision: UInt64, sending frame: Frame?) {
        submit([.attach(connection, to: topic, at: revision, sending: frame)], onLoop: connection.loop)
    }

    func detach(_ connection: ConnectionID, from topic: TopicID) {
        submit([.detach(connection, from: topic)], onLoop: connection.loop)
    }

    func append(
        _ frame: Frame, to topic: TopicID, revision: UInt64, onLoop loop: Int, moreFollow: Bool = false
    ) {
        submit([.append(frame, to: topic, revision: revision)], onLoop: loop, moreFollow: moreFollow)
    }

    func cut(_ topic: TopicID, onLoop loop: Int) {
        submit([.cut(topic)], onLoop: loop)
    }

    /// Nothing follows on any loop.
    func letGo() {
        for loop in 0..<loopCount { uncork(loop: loop) }
    }
}

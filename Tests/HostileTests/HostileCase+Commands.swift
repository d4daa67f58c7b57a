import Foundation
import TestSupport

extension HostileCase {
    /// More requests than a room allows, by a client that has said hello.
    static let commands: [HostileCase] = [
        HostileCase("20,000 pings by who does not listen", "4003") { server in
            let peer = try server.member()
            peer.write(Self.frames(20_000) { .ping(ref: $0) })
            return try peer.ending()
        },
        HostileCase("subscribing to 20,000 rooms that are not there", "4003") { server in
            let peer = try server.member("subscriber")
            peer.write(Self.frames(20_000) { .subscribe(ref: $0, to: "no-\($0)") })
            return try peer.ending()
        },
        HostileCase("coming to 5,000 rooms that are not there, and leaving", "4003") { server in
            let peer = try server.member("visitor")
            peer.write(
                Self.frames(5_000) { .subscribe(ref: $0, to: "no-\($0)") + .unsubscribe(ref: $0, from: "no-\($0)") })
            return try peer.ending()
        },
        HostileCase("1,000 messages at once", "250 and more") { server in
            let answers = try server.answers(to: 1_000, of: "talker") { .send(ref: $0, to: "flooded") }
            // The burst, and what the elapsed time added.
            return (200..<600).contains(answers.taken) ? "250 and more" : "\(answers)"
        },
        HostileCase("messages to 400 rooms that are not there", "100") { server in
            let answers = try server.answers(to: 400, of: "founder") { .send(ref: $0, to: "new-\($0)") }
            return "\(answers.taken)"
        },
        HostileCase("400 pages at once", "50 and more") { server in
            let answers = try server.answers(to: 400, of: "reader") { .page(ref: $0) }
            return (50..<250).contains(answers.taken) ? "50 and more" : "\(answers)"
        },
        HostileCase("150 connections of one user", "100") { server in
            var peers: [RawPeer] = []
            for _ in 0..<150 {
                let peer = try server.open()
                peer.send(#"{"type": "hello", "ref": 1, "user": "many"}"#)
                if try peer.next()?.text.contains("\"welcome\"") == true { peers.append(peer) }
            }
            return "\(peers.count)"
        },
    ]

    private static func frames(_ count: Int, _ frame: (Int) -> String) -> [UInt8] {
        (1...count).flatMap { frame($0 + 1).split(separator: "\n").flatMap { RawPeer.frame(0x81, Array($0.utf8)) } }
    }
}

extension HostileServer {
    /// Returns how many of a user's simultaneous requests succeed, if all are answered with a frame or with
    /// `rate_limited`.
    fileprivate func answers(
        to count: Int, of user: String, _ frame: (Int) -> String
    ) throws -> (taken: Int, refused: Int) {
        let peer = try member(user)
        var (taken, refused) = (0, 0)
        peer.write((1...count).flatMap { RawPeer.frame(0x81, Array(frame($0 + 1).utf8)) })
        while taken + refused < count, let message = try peer.next() {
            if message.text.contains("rate_limited") { refused += 1 } else { taken += 1 }
        }
        return (taken, refused)
    }
}

extension String {
    fileprivate static func ping(ref: Int) -> String { #"{"type":"ping","ref":\#(ref)}"# }

    fileprivate static func subscribe(ref: Int, to room: String) -> String {
        #"{"type":"subscribe","ref":\#(ref),"list":"room/\#(room)/messages"}"# + "\n"
    }

    fileprivate static func unsubscribe(ref: Int, from room: String) -> String {
        #"{"type":"unsubscribe","ref":\#(ref),"list":"room/\#(room)/messages"}"#
    }

    fileprivate static func page(ref: Int) -> String {
        #"{"type":"page","ref":\#(ref),"list":"room/lobby/messages","before":9}"#
    }

    fileprivate static func send(ref: Int, to room: String) -> String {
        #"{"type":"send","ref":\#(ref),"room":"\#(room)","id":"\#(UUID().uuidString)","text":"flood"}"#
    }
}

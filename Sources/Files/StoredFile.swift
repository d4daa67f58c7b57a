package import ChatWire
import JSON

/// A file as a server keeps it.
package struct StoredFile: Equatable, Sendable {
    package let place: Place
    /// The user who uploaded the file.
    package let user: UserName
    package let file: FileDescription

    /// Where a file belongs: to one message of one room.
    package struct Place: Hashable, Sendable {
        package let room: RoomName
        package let message: MessageID
        package let id: FileID

        package init(room: RoomName, message: MessageID, id: FileID) {
            (self.room, self.message, self.id) = (room, message, id)
        }
    }

    package init(place: Place, user: UserName, file: FileDescription) {
        (self.place, self.user, self.file) = (place, user, file)
    }

    /// The description that lies beside the bytes: a JSON object.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            place.write(to: &json)
            json.string("user", user.description)
            file.write(to: &json)
        }
        return json.bytes
    }

    /// `nil` if the description is damaged.
    init?(json: [UInt8]) {
        guard let fields = try? Fields(body: json), let place = try? Place(fields),
            let user = try? fields.user("user", .known), let file = try? FileDescription(fields)
        else { return nil }
        self.init(place: place, user: user, file: file)
    }
}

extension StoredFile.Place {
    func write(to json: inout JSONWriter) {
        json.string("room", room.description)
        json.id("message", message)
        json.id("id", id)
    }

    init(_ fields: Fields) throws(WireError) {
        self.init(room: try fields.room("room"), message: try fields.id("message"), id: try fields.id("id"))
    }
}

extension RoomName {
    /// The name of the room's folder. It begins with `=`, because an old room may be named `..`, and has commas for the
    /// slashes of a thread's name.
    var segment: String { "=" + description.replacing("/", with: ",") }

    /// The room of a folder; `nil` for a folder of something else.
    init?(segment: String) {
        guard segment.hasPrefix("="), let name = RoomName(known: String(segment.dropFirst()).replacing(",", with: "/"))
        else {
            return nil
        }
        self = name
    }
}

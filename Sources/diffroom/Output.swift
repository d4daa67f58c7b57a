import ChatClient
import ChatWire
import Foundation
import JSON
import Replicas
import TerminalUI

/// The program's output.
final class Output: @unchecked Sendable {
    // @unchecked: it is used on the chat's queue only, except `say` before that has begun.
    private let format: Options.Format
    private var plain: PlainText

    enum ExitStatus: Int32 {
        case done = 0
        case failed = 1
        case usage = 2
    }

    init(_ format: Options.Format, rooms: PlainText.Rooms = .one, environment: [String: String]) {
        self.format = format
        let isDumb = environment["TERM"] == "dumb" || environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let colours: PlainText.Colours = isatty(STDOUT_FILENO) == 1 && !isDumb ? .on : .off
        plain = PlainText(colours: colours, rooms: rooms, clock: localTime)
    }

    /// Writes a change to standard output.
    func print(_ change: RoomChange) {
        switch format {
        case .plain: write(Array(plain.lines(for: change).utf8))
        case .json: write(Array(jsonLines(for: change).utf8))
        }
    }

    /// Writes the user's rooms, which were asked for: for people to standard error, as all that is not of the room.
    func print(_ rooms: RoomsView) {
        switch format {
        case .plain: for line in linesForPeople(rooms) { report(line) }
        case .json: write(Array(jsonLine(for: rooms).utf8))
        }
    }

    /// Writes a change of the user's rooms for programs. People ask for them again.
    func print(_ change: RoomsChange) {
        switch format {
        case .plain: break
        case .json: write(Array(jsonLine(for: change).utf8))
        }
    }

    /// Writes the threads that the user follows, which were asked for.
    func print(threads: RoomsView, _ labels: RoomLabels) {
        switch format {
        case .plain: for line in linesForPeople(threads: threads, labels) { report(line) }
        case .json: write(Array(jsonLine(threads: threads).utf8))
        }
    }

    /// Writes the messages that mention the user, which were asked for.
    func print(_ mentions: MentionsView, _ labels: RoomLabels) {
        switch format {
        case .plain: for line in linesForPeople(mentions, labels, clock: localTime) { report(line) }
        case .json: write(Array(jsonLine(for: mentions).utf8))
        }
    }

    /// Writes the results of a search.
    func print(_ page: SearchPage, _ labels: RoomLabels) {
        switch format {
        case .plain: for line in linesForPeople(page, labels, clock: localTime) { report(line) }
        case .json: write(Array(jsonLine(for: page).utf8))
        }
    }

    /// Writes the users whom the user blocks, which were asked for.
    func print(_ blocked: BlockedView, _ people: PeopleLabels) {
        switch format {
        case .plain: report(lineForPeople(blocked, people))
        case .json: write(Array(jsonLine(for: blocked).utf8))
        }
    }

    /// Writes the user's messages and reminders for later, which were asked for.
    func print(_ items: LaterItemsView, _ labels: RoomLabels) {
        switch format {
        case .plain: for line in linesForPeople(items, labels, clock: laterTime) { report(line) }
        case .json: write(Array(jsonLine(for: items).utf8))
        }
    }

    /// Writes the pinned messages of a room, which were asked for.
    func print(_ pins: PinsView, of room: RoomLabel) {
        switch format {
        case .plain: for line in linesForPeople(pins, clock: localTime) { report(line) }
        case .json: write(Array(jsonLine(for: pins, of: room.room).utf8))
        }
    }

    /// Writes the older messages that mention the user, which were asked for.
    func print(older change: MentionsChange, _ labels: RoomLabels) {
        let mentions = change.changes.inserted.compactMap { change.view[$0] }
        switch format {
        case .plain:
            for mention in mentions { report(lineForPeople(mention, labels, clock: localTime)) }
            if !change.view.hasOlder { report("no older message mentions you") }
        case .json: write(Array(jsonLine(older: mentions, hasOlder: change.view.hasOlder).utf8))
        }
    }

    /// Writes the addresses of a message's files, which were asked for.
    ///
    /// - Parameter until: the time of day until which they work.
    func print(_ addresses: [String], until: Milliseconds, to message: Message, in room: RoomLabel) {
        switch format {
        case .plain:
            for (file, address) in zip(message.content.files, addresses) { report("\(file.line): \(address)") }
            report("these addresses work until \(localTime(until)), for whoever has them")
        case .json:
            var json = JSONWriter()
            json.object { json in
                json.string("change", "links")
                json.string("room", room.room.description)
                json.id("message", message.id)
                json.array("urls", addresses) { $0.string(nil, $1) }
                json.number("until", until)
            }
            write(json.bytes + [UInt8(ascii: "\n")])
        }
    }

    /// Writes a room that the user has made.
    func print(made room: RoomLabel) {
        switch format {
        case .plain: report("here is \(room.phrase): --room '\(room.room)' opens it")
        case .json: write(Array(jsonLine(made: room.room).utf8))
        }
    }

    /// Writes to standard output. Ends the program if the reader is gone.
    func write(_ bytes: [UInt8]) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            end(.failed)
        }
    }

    /// Writes a line to standard error. Other people's text in it makes no further one.
    func report(_ line: String) { explain(line.inOneLine) }

    /// Writes a text of the program's own, of any number of lines, to standard error.
    func explain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("diffroom: \(text)\n".utf8))
    }

    func end(_ status: ExitStatus) -> Never {
        exit(status.rawValue)
    }
}

/// Returns the time of day, with the date unless it is today's.
func localTime(_ time: Milliseconds) -> String {
    let parts = calendarParts(time / 1_000)
    let today = calendarParts(Milliseconds(Date().timeIntervalSince1970))
    return parts.date == today.date ? parts.time : "\(parts.date) \(parts.time)"
}

private func calendarParts(_ seconds: Int64) -> (date: String, time: String) {
    var seconds = time_t(seconds)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe (
        "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))",
        "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
    )
}

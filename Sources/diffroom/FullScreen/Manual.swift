import TerminalUI

/// The text of `/help`.
struct Manual {
    private static let text: [(keys: String, meaning: String)] = [
        ("Writing", ""),
        ("Enter", "send          Alt-Enter, Ctrl-J: a new line"),
        ("↑ ↓", "the lines written before"),
        ("Ctrl-A E", "to the start, the end      Alt-B F: by word"),
        ("@na Tab", "the name of a person here, who then sees @1 at the room"),
        ("Ctrl-W U K Y", "cut a word, all before, all after; insert it"),
        ("/upload", "send a file: /upload cat.png TEXT, or 'my cat.png'; Esc cancels it"),
        (":na Tab", "the emoji with a name: :thumbs; Tab again, the next one"),
        ("Reading", ""),
        ("PageUp PageDown", "scroll; the top loads older messages"),
        ("End, Ctrl-End", "to the newest        Ctrl-Home: to the oldest"),
        ("Ctrl-F", "search; ↑ earlier, ↓ later, Esc done"),
        ("/date", "go to a day: /date 2026-03-03"),
        ("Tab", "choose a message: ↑ ↓, then"),
        ("  Enter", "go to the message that it answers"),
        ("  r e d + t", "reply, edit, delete, react, show the thread; Esc goes back"),
        ("  m  y", "mark it as unread, and all behind it; copy it"),
        ("  o", "copy the addresses of its files, and show them      /links: of the last files"),
        ("  l", "be reminded of it: 20m, 3h, 9:00, tomorrow 9:00"),
        ("  p", "moderators: pin it, or unpin it"),
        ("  u, /undo", "keep a deleted message, for 5 s"),
        ("Rooms", ""),
        ("Alt-↑ Alt-↓", "the previous, the next of your rooms with something unread, or the neighbour"),
        ("Alt-N", "the next one with something unread, from the last on to the first; this one is read"),
        ("/mentions", "the messages that mention you, the newest last; Enter goes to one, ↑ to older ones"),
        ("/threads", "the threads that you follow; /follow and /unfollow are for the thread on the screen"),
        ("/later", "your messages and reminders for later: Enter goes there, z an hour later, s now, x cancels"),
        ("/pins", "the pinned messages of this room; Enter goes to one, J and K move it, x unpins it"),
        ("Ctrl-K, /rooms", "choose one by its title, name or people; with text behind the cursor, Ctrl-K cuts it"),
        ("Alt-R", "show or hide the column of rooms"),
        ("Alt-S Alt-W", "two rooms side by side, or one; to the other one"),
        ("/join /leave", "become a member, or no longer: /join, /join ROOM"),
        ("/msg NAME TEXT", "write to a person, in the room for you two      /msg ann,bob TEXT"),
        ("/create TITLE", "make a private room; then /invite NAME, /uninvite NAME"),
        ("/create #NAME", "make an open room, or enter it; a title may stand behind the name"),
        ("/pin", "pin this room: /pin 1 to the first place      /unpin"),
        ("/silence /archive", "no bell for this room; put it away      /unsilence, /unarchive"),
        ("/unread /readall", "mark this room as unread, or with a number its last messages; mark all as read"),
        ("/accept /decline", "answer an invitation; /leave ends it later"),
        ("Tab", "completes a command, and the name behind it"),
        ("Also", ""),
        ("/schedule", "send a message later: /schedule 9:00 TEXT, or 3h, tomorrow 9:00, 2026-12-24 9:00"),
        ("/ignore", "hide a user's messages: /ignore bob, or a text: /ignore *lottery*      /unignore"),
        ("/block", "block a user, who is not told: /block bob; /block shows whom you block      /unblock"),
        ("/reload", "read the file of settings again: keys, notifications, what is ignored"),
        ("/search /older", "as above      //text: a message that begins with /"),
        ("/mute /kick /ban", "moderators: /mute NAME 10m   /slow 5s   /readonly on"),
        ("/title /topic", "moderators: the room's title and topic      /untitle, /untopic"),
        ("/picture", "moderators: an https URL of its picture      /unpicture"),
        ("/role", "owners: /role NAME moderate      /unmute, /unban"),
        ("/quit, Ctrl-D", "end; also Ctrl-C twice      Ctrl-Z: stop      Ctrl-L: draw again"),
    ]

    /// The columns for the keys, where the meanings stand beside them.
    private static let keyColumns = 20
    /// The width below which each meaning stands below its keys.
    private static let narrow = 50

    let columns: Int

    /// All lines, wrapped to the window.
    private var all: [Line] {
        Self.text.flatMap { keys, meaning in
            if meaning.isEmpty { return [Line("  \(keys)", Style(.accent, [.bold]))] }
            let isNarrow = columns < Self.narrow
            let indent = isNarrow ? 5 : Self.keyColumns
            let facts = isNarrow ? meaning.split(separator: /\ {2,}/) : [meaning[...]]
            let parts = facts.flatMap { String($0).wrapped(to: max(2, columns - indent)).map(String.init) }
            let rows = parts.map { part in
                var line = Line(String(repeating: " ", count: indent))
                line.append(part, .faint)
                return line
            }
            let head = Line("   \(keys)", Style(.text, [.bold]))
            guard !isNarrow else { return [head] + rows }
            var first = head.fitted(to: indent)
            first.append(parts[0], .faint)
            return [first] + rows.dropFirst()
        }
    }

    /// Returns the lines for a window of `rows` lines.
    ///
    /// - Parameter top: the first line to show; it is moved so that the window is full if possible.
    func lines(from top: inout Int, rows: Int) -> [Line] {
        let all = all
        top = max(0, min(top, all.count - rows))
        let filling = Array(repeating: Line(), count: max(0, rows - all.count))
        return (Array(all[top...].prefix(rows)) + filling).map { $0.fitted(to: columns) }
    }
}

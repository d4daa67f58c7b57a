import ChatClient
import ChatWire
import Diffable
import Dispatch
import Publishing
import Replicas

/// The examples with which the comments of ChatClient's public types begin, each between its type's name and the end of
/// its function. ClientExampleTests compares them with the comments.
enum ClientExamples {
    static func client(_ lobby: RoomName) throws {
        // MARK: ChatClient
        let client = try ChatClient(url: "ws://127.0.0.1:8080", user: UserName("ann")!)
        let subscription = client.didChange.sink { change in
            for message in change.view.messages { print("\(message.author): \(message.text)") }
        }
        client.open(lobby)
        client.send("hello", to: lobby)
        // MARK: end
        subscription.cancel()
        client.close()
    }

    static func room(_ client: ChatClient) async throws {
        // MARK: ClientRoom
        let lobby = client.room(RoomName("lobby")!)
        try await lobby.send("hello")
        for await change in lobby.changes {
            for message in change.view.messages { print("\(message.author): \(message.text)") }
        }
        // MARK: end
    }

    static func growth(_ lobby: ClientRoom, _ assistant: AsyncStream<String>) async throws {
        // MARK: GrowingMessage
        let answer = try await lobby.write("Let me see: ")
        for await piece in assistant { try await answer.append(piece) }
        try await answer.close()
        // MARK: end
    }

    static func values(_ publisher: Publisher<ConnectionState>) async {
        func show(_ state: ConnectionState) {}
        for await state in publisher.receive(on: .global(), policy: .keepLatest).values { show(state) }
    }

    static func search(_ client: ChatClient) async throws {
        let page = try await client.search(try SearchRequest("deploy* from:ann"))
        for result in page.results { print("\(result.room): \(result.row.text)") }
    }

    static func error() {
        // MARK: ChatClientError
        do throws(ChatClientError) {
            let client = try ChatClient(url: "http://127.0.0.1", user: UserName("ann")!)
            client.open(RoomName("lobby")!)
        } catch {
            print("no client: \(error)")  // the address must begin with ws:// or wss://
        }
        // MARK: end
    }

    static func command(_ client: ChatClient, _ lobby: RoomName) {
        // MARK: Command
        let join = Command(id: .random(), room: lobby, action: .join)
        client.perform(join)
        let subscription = client.answers.sink { answer in
            if answer.command.id == join.id { print("joined: \(answer.outcome)") }
        }
        // MARK: end
        subscription.cancel()
    }

    static func state(_ client: ChatClient) {
        // MARK: ConnectionState
        let subscription = client.connection.sink { state in
            switch state {
            case .online(let welcome): print("connected as \(welcome.user)")
            case .waiting(let pause, let loss): print("\(loss); trying again in \(pause) ms")
            case .ended(let loss): print(loss)
            case .offline, .connecting: break
            }
        }
        // MARK: end
        subscription.cancel()
    }

    static func loss(_ loss: ConnectionLoss) {
        // MARK: ConnectionLoss
        if case .refused(let error) = loss { print("log in again: \(error.message)") } else { print(loss) }
        // MARK: end
    }

    static func notice(_ client: ChatClient) {
        // MARK: SessionNotice
        let subscription = client.notices.sink { notice in
            if case .standing(let room, let standing) = notice { print("\(room): you may \(standing.role)") }
            print(notice)
        }
        // MARK: end
        subscription.cancel()
    }

    static func token(_ fetch: @escaping @Sendable () async -> String?) throws {
        // MARK: TokenUnavailable
        let client = try ChatClient(url: "wss://chat.example") {
            guard let token = await fetch() else { throw TokenUnavailable("log in first") }
            return token
        }
        // MARK: end
        client.close()
    }
}

/// The same of rooms and their rows.
enum RoomExamples {
    static func change(_ client: ChatClient) {
        // MARK: RoomChange
        let subscription = client.didChange.sink { change in
            for id in change.changes.inserted { print("+ \(change.view[id]?.text ?? "")") }
            for message in change.deleted { print("- \(message.text)") }
        }
        // MARK: end
        subscription.cancel()
    }

    static func view(_ client: ChatClient, _ change: RoomChange) {
        // MARK: RoomView
        let view = change.view
        print("\(view.messages.count) of \(view.count) messages, \(view.gaps.count) gaps")
        if view.hasOlder { client.older(change.room) }
        // MARK: end
    }

    static func item(_ change: RoomChange) {
        // MARK: RoomItem
        for item in change.snapshot.itemIdentifiers {
            switch item {
            case .message(let id): print(change.view[id]?.text ?? "")
            case .gap: print("… messages that are not loaded …")
            }
        }
        // MARK: end
    }

    static func gaps(_ client: ChatClient, _ change: RoomChange) {
        // MARK: GapChanges
        for gap in change.gaps.appeared { client.fill(gap.id, of: change.room, from: .end) }
        // MARK: end
    }

    static func page(_ client: ChatClient, _ lobby: RoomName, _ quoted: MessageID) {
        // MARK: RoomPage
        client.go(to: .id(quoted), in: lobby)
        let subscription = client.didChange.sink { change in
            if case .page(.around(let anchor)) = change.cause { print(change.view.message(at: anchor)?.text ?? "") }
        }
        // MARK: end
        subscription.cancel()
    }

    static func members(_ client: ChatClient, _ lobby: RoomName) {
        // MARK: MembersChange
        let subscription = client.membersDidChange.sink { change in
            for name in change.changes.inserted { print("\(name) is in \(change.room)") }
        }
        client.openMembers(of: lobby)
        // MARK: end
        subscription.cancel()
    }

    static func pins(_ client: ChatClient, _ lobby: RoomName) {
        // MARK: PinsChange
        let subscription = client.pinsDidChange.sink { change in
            print("\(change.room):", change.view.pins.map(\.light.content.text))
        }
        client.openPins(of: lobby)
        // MARK: end
        subscription.cancel()
    }

    static func pinsView(_ client: ChatClient, _ view: PinsView, _ lobby: RoomName) {
        // MARK: PinsView
        if let agenda = view.pins.first { client.moderate(lobby, .unpin(agenda.id)) }
        // MARK: end
    }

    static func membersView(_ view: MembersView) {
        // MARK: MembersView
        let typing = view.members.filter(\.light.isTyping).map(\.id.description)
        print("\(view.count(of: .online)) online; typing: \(typing.joined(separator: ", "))")
        // MARK: end
    }
}

/// The same of the user's lists and of labels.
enum ListExamples {
    static func rooms(_ client: ChatClient) {
        // MARK: RoomsChange
        let subscription = client.roomsDidChange.sink { change in
            for room in change.view.memberships { print("\(room.id): \(room.light.unread) unread") }
        }
        client.openRooms()
        // MARK: end
        subscription.cancel()
    }

    static func threads(_ client: ChatClient) {
        // MARK: ThreadsChange
        let subscription = client.threadsDidChange.sink { change in
            for thread in change.view.rooms { print("\(thread.light.root?.text ?? ""): \(thread.light.unread) unread") }
        }
        client.openThreads()
        // MARK: end
        subscription.cancel()
    }

    static func roomsView(_ client: ChatClient, _ view: RoomsView) {
        // MARK: RoomsView
        print("\(view.unread) unread messages in \(view.memberships.count) rooms")
        for invitation in view.invitations { client.join(invitation.id) }
        // MARK: end
    }

    static func mentions(_ client: ChatClient) {
        // MARK: MentionsChange
        let subscription = client.mentionsDidChange.sink { change in
            for id in change.changes.inserted { print("mentioned in \(id.room)") }
        }
        client.openMentions()
        // MARK: end
        subscription.cancel()
    }

    static func mentionsView(_ client: ChatClient, _ view: MentionsView) {
        // MARK: MentionsView
        for mention in view.mentions { print("\(mention.author): \(mention.light.text)") }
        if view.hasOlder { client.olderMentions() }
        // MARK: end
    }

    static func people(_ client: ChatClient, _ ann: UserName) {
        // MARK: PeopleChange
        let subscription = client.peopleDidChange.sink { change in
            for user in change.changes.reconfigured { print("\(user) has another profile") }
        }
        client.know([ann])
        // MARK: end
        subscription.cancel()
    }

    static func peopleView(_ view: PeopleView, _ ann: UserName) {
        // MARK: PeopleView
        print(view[ann]?.name?.description ?? ann.description)
        // MARK: end
    }

    static func drafts(_ client: ChatClient, _ lobby: RoomName) {
        // MARK: DraftsChange
        let subscription = client.draftsDidChange.sink { change in
            for draft in change.view.drafts { print("\(draft.id): \(draft.light.content.text)") }
        }
        client.openDrafts()
        client.keep("see you th", in: lobby)
        // MARK: end
        subscription.cancel()
    }

    static func draftsView(_ view: DraftsView, _ lobby: RoomName) {
        // MARK: DraftsView
        if let draft = view[lobby] { print("you began: \(draft.text)") }
        // MARK: end
    }

    static func later(_ client: ChatClient, _ lobby: RoomName, _ tomorrow: Milliseconds) {
        // MARK: LaterItemsChange
        let subscription = client.laterDidChange.sink { change in
            for item in change.view.due { print("\(item.id) is due in \(item.light.plan.room)") }
        }
        client.openLater()
        client.schedule("good morning", to: lobby, at: tomorrow)
        // MARK: end
        subscription.cancel()
    }

    static func laterView(_ view: LaterItemsView, _ id: UniqueID) {
        // MARK: LaterItemsView
        if let refusal = view[id]?.light.refusal { print("not sent: \(refusal.message)") }
        // MARK: end
    }

    static func blocked(_ client: ChatClient, _ bob: UserName) {
        // MARK: BlockedChange
        let subscription = client.blockedDidChange.sink { change in
            print("blocked: \(change.view.users.map(\.id))")
        }
        client.openBlocked()
        client.block(bob)
        // MARK: end
        subscription.cancel()
    }

    static func blockedView(_ view: BlockedView, _ message: Message) -> String {
        // MARK: BlockedView
        let text = view[message.author] == nil ? message.text : "a message of a blocked user"
        // MARK: end
        return text
    }

    static func peopleLabels(_ client: ChatClient, _ change: RoomChange, _ view: PeopleView) {
        // MARK: PeopleLabels
        var labels = PeopleLabels()
        client.know(labels.insert(change.view.messages.map(\.author)))
        labels.apply(view)  // a PeopleView, when it comes
        for message in change.view.messages { print("\(labels[message.author]): \(message.text)") }
        // MARK: end
    }

    static func label(_ plans: RoomName) {
        // MARK: RoomLabel
        let label = RoomLabel(plans, title: RoomTitle("Plans"))
        print(label.heading)  // above the room
        print("\(label.phrase) has a new message")  // in a sentence
        // MARK: end
    }

    static func labels(_ view: RoomsView, _ lobby: RoomName) {
        // MARK: RoomLabels
        var labels = RoomLabels()
        labels.apply(view)
        print(labels[lobby].heading)
        // MARK: end
    }

    static func found(_ client: ChatClient, _ lobby: RoomName, _ people: [UserName]) {
        // MARK: Mentions
        let text = "lunch, @bob?"
        let mentions = Mentions.found(in: text, among: people, mayCallEveryone: false)
        client.send(text, to: lobby, mentions: mentions)
        // MARK: end
    }
}

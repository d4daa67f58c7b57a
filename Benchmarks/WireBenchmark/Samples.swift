import ChatWire

/// The measured frames: those that a busy room sends most, and a reader's first one.
enum Samples {
    static let list = ListName("room/lobby/messages")!

    static let send = ClientFrame(
        ref: 812,
        request: .send(
            room: list.room!, id: UniqueID(high: 0x5F0C_7D2E_8A41_4C59, low: 0x9B7E_21D3_C6A0_F1B2),
            "a line of chat, about as long as such lines are"))

    static let diff = ServerFrame.diff(
        ref: nil, list, Epoch("7f1e0c9a")!,
        ListDiff(from: 816, to: 817, insertions: [row(817)], proof: ListProof(count: 817, digest: 2_718_281_828)))

    static let snapshot: ServerFrame = {
        let rows = (767...816).map(row)
        let proof = ListProof(count: 816, digest: ListDigest(rows.suffix(ListDigest.window)).value)
        return .snapshot(
            ref: 2, list,
            ServerFrame.Snapshot(
                epoch: Epoch("7f1e0c9a")!, joined: 816, why: .fresh,
                snapshot: ListSnapshot(revision: 816, rows: rows, more: true, proof: proof)))
    }()

    /// Every tenth row has a reaction, and every other tenth an escape in its text.
    private static func row(_ number: Int) -> Message {
        let ann = UserName("ann")!
        let text = "a line of chat, about as long as such lines are" + (number % 10 == 5 ? "\n\"quoted\"" : "")
        return Message(
            id: UniqueID(high: 0x5F0C_7D2E_8A41_4C59, low: UInt64(number)), section: .socket, sort: UInt64(number),
            rev: UInt64(number), author: ann, time: 1_700_000_000_000 + Int64(number), content: MessageContent(text),
            reactions: number % 10 == 0 ? [Reaction(emoji: "👍", users: [ann])] : [])
    }
}

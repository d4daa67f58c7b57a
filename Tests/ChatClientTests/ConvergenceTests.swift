import ChatClient
import ChatRoom
import ChatWire
import TestSupport
import Testing

/// Whatever the network and the server's errors do, every reader ends with what the server has, and every command is
/// carried out once.
@Suite struct ConvergenceTests {
    @Test(arguments: UInt64(0)..<100)
    func aNetworkThatCutsLosesNothingDoublesNothingAndKeepsTheOrder(seed: UInt64) {
        var world = SimulatedWorld(clients: 3, trouble: .init(cut: 0.01), seed: seed)

        chat(in: &world, steps: 700)
        world.settle()

        expectAgreement(in: world)
        expectOrder(in: world)
        #expect(world.clients.flatMap(\.notices).filter { $0 != .nothingOlder(SimulatedServer.room) } == [])
    }

    @Test(arguments: UInt64(0)..<100)
    func aServerThatSkipsDoublesAndMiscountsIsFoundOutAndFollowedAllTheSame(seed: UInt64) {
        let trouble = SimulatedWorld.Trouble(
            cut: 0.002, skippedDiff: 0.05, doubledDiff: 0.05, wrongDigest: 0.02, rateLimited: 0.05)
        var world = SimulatedWorld(clients: 3, trouble: trouble, seed: seed)

        chat(in: &world, steps: 700)
        world.settle()
        world.nudge()
        world.settle()

        expectAgreement(in: world)
    }

    @Test func historyThatIsReplacedIsReplacedHere() {
        var world = SimulatedWorld(clients: 2, trouble: .init(), seed: 1)
        chat(in: &world, steps: 500)
        world.settle()

        world.server.loseHistory()
        for index in world.clients.indices { world.cut(index) }
        world.settle()

        #expect(world.clients.allSatisfy { $0.session.view(of: SimulatedServer.room)?.messages == [] })
        #expect(world.clients.allSatisfy { $0.causes.last == .snapshot(.epoch) })
    }

    /// Everybody does random things while the world turns.
    private func chat(in world: inout SimulatedWorld, steps: Int) {
        for _ in 0..<steps {
            if world.chance(0.15) { world.giveCommand() }
            if world.chance(0.005) {
                let index = Int.random(in: world.clients.indices, using: &world.random)
                world.tell(index, .older(SimulatedServer.room, limit: 32))
            }
            world.step()
        }
    }

    private func expectAgreement(in world: SimulatedWorld) {
        for client in world.clients {
            #expect(!client.isBroken)
            guard let view = client.session.view(of: SimulatedServer.room) else {
                Issue.record("nothing is held")
                continue
            }
            let held = view.messages.map(\.withoutSection)
            #expect(held == world.server.messages.suffix(held.count).map(\.withoutSection))
            #expect(view.hasOlder || held.count == world.server.messages.count)
            #expect(view.count == world.server.proof.count)
            #expect(client.outcomes.count == client.given.count)
        }
        #expect(Set(world.server.log.map(\.command)).count == world.server.log.count)
    }

    private func expectOrder(in world: SimulatedWorld) {
        for client in world.clients {
            let mine = Set(client.given.map(\.id))
            let carriedOut = world.server.log.map(\.command).filter(mine.contains)
            let done = client.given.map(\.id).filter { if case .done = client.outcomes[$0] { true } else { false } }
            #expect(carriedOut == done)
        }
    }
}

extension SimulatedWorld {
    mutating func giveCommand() {
        let index = Int.random(in: clients.indices, using: &random)
        let id = UniqueID.random(using: &random)
        let command = Command(id: id, room: SimulatedServer.room, action: action(of: index))
        clients[index].given.append(command)
        tell(index, .command(command))
    }

    /// One more change, so that a reader who missed the last one notices.
    mutating func nudge() {
        let command = Command(
            id: .random(using: &random), room: SimulatedServer.room, action: .send(text: "nudge", replyTo: nil))
        clients[0].given.append(command)
        tell(0, .command(command))
    }

    private mutating func action(of index: Int) -> Command.Action {
        let view = clients[index].session.view(of: SimulatedServer.room)
        let own = clients[index].given.filter { if case .send = $0.action { true } else { false } }.map(\.id)
        let any = view?.messages.randomElement(using: &random)?.id
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: if let mine = own.suffix(3).randomElement(using: &random) { return .edit(mine, text: "edit \(now)") }
        case 2: if let mine = own.randomElement(using: &random) { return .delete(mine) }
        case 3, 4: if let any { return .react(any, emoji: "👍", Bool.random(using: &random) ? .on : .off) }
        default: break
        }
        return .send(text: "message at \(now)", replyTo: nil)
    }
}

extension Message {
    var withoutSection: Message {
        var message = self
        message.section = .history
        return message
    }
}

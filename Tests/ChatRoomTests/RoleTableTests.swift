import ChatWire
import Testing

@testable import ChatRoom

/// The role of a person in a room, from what the token grants, what the room's owners appointed them to, and the kind of
/// the room. The table is that of docs/security.md.
struct RoleTableTests {
    struct Cell: CustomTestStringConvertible, Sendable {
        let kind: RoomName.Kind
        let grant, appointment, role, banned: Role

        var testDescription: String { "\(kind): grant \(grant), appointed \(appointment)" }
    }

    /// The roles of a row, for the appointments none, read, write, moderate and own.
    private static func row(
        _ kinds: [RoomName.Kind], _ grant: Role, _ roles: [Role], banned: [Role]
    ) -> [Cell] {
        kinds.flatMap { kind in
            zip(Role.allCases, zip(roles, banned)).map {
                Cell(kind: kind, grant: grant, appointment: $0, role: $1.0, banned: $1.1)
            }
        }
    }

    static let cells =
        row([.open], .none, [.none, .read, .write, .moderate, .own], banned: [.none, .none, .none, .none, .own])
        + row([.open], .read, [.read, .read, .write, .moderate, .own], banned: [.none, .none, .none, .none, .own])
        + row([.open], .write, [.write, .write, .write, .moderate, .own], banned: [.none, .none, .none, .none, .own])
        + row(
            [.open], .moderate, [.moderate, .moderate, .moderate, .moderate, .own],
            banned: [.none, .none, .none, .none, .own])
        + row([.open], .own, [.own, .own, .own, .own, .own], banned: [.own, .own, .own, .own, .own])
        + row(
            [.private, .direct], .none, [.none, .none, .none, .none, .none],
            banned: [.none, .none, .none, .none, .none])
        + [Role.read, .write, .moderate, .own].flatMap {
            row(
                [.private, .direct], $0, [.none, .read, .write, .moderate, .own],
                banned: [.none, .none, .none, .none, .own])
        }

    @Test func theTableIsWhole() {
        let places = Set(Self.cells.map { "\($0.kind) \($0.grant) \($0.appointment)" })

        #expect(places.count == 75 && Self.cells.count == 75)
    }

    @Test(arguments: cells)
    func theRoleIsThatOfTheTable(cell: Cell) {
        let user = UserName("bob")!
        func role(isBanned: Bool) -> Role {
            let rules = RoomRules(
                of: cell.kind, standings: [user: Standing(role: cell.appointment, isBanned: isBanned)])
            return rules.role(of: user, granted: cell.grant)
        }

        #expect(role(isBanned: false) == cell.role)
        #expect(role(isBanned: true) == cell.banned)
    }

    /// Each request of a person needs a role, the same in every kind of room.
    @Test(arguments: cells)
    func aRequestIsAllowedByTheRoleAlone(cell: Cell) {
        let (ann, bob) = (UserName("ann")!, UserName("bob")!)
        let rules = RoomRules(of: cell.kind, standings: [ann: Standing(role: cell.appointment)])
        let deeds: [(Role, RoomAction)] = [
            (.read, .join), (.read, .leave), (.read, .settings(SettingsChange(isMuted: true))),
            (.write, .send("hi")),
            (.moderate, .moderate(.mute(bob, for: 1))), (.moderate, .moderate(.slowMode(1))),
            (.own, .moderate(.appoint(bob, .read))), (.own, .moderate(.invite(bob))),
            (.moderate, .moderate(.title(RoomTitle("Plans")))), (.moderate, .moderate(.topic(RoomTopic("Plans")))),
            (.moderate, .moderate(.picture(Picture("https://a.example")))),
        ]
        for (least, action) in deeds {
            let operation = Operation(command: .random(), author: ann, role: cell.grant, time: 0, action: action)
            var refusal: Refusal?
            do throws(Refusal) {
                _ = try operation.fold(
                    onto: nil, by: .member(RoomSettings()), under: rules, at: 9, limits: WireLimits())
            } catch {
                refusal = error
            }

            let isForbidden = if case .notGranted = refusal { true } else { false }
            #expect(isForbidden == (cell.role < least), "\(action): \(String(describing: refusal))")
            if isForbidden { #expect(refusal == .notGranted(least, cell.role)) }
        }
    }

    /// Nobody is appointed in a room that is not there, so the grant alone decides who creates it.
    @Test(arguments: cells.filter { $0.appointment == .none })
    func whoMayWriteInARoomThatIsNotThereMayCreateIt(cell: Cell) {
        let (ann, bob) = (UserName("ann")!, UserName("bob")!)
        let new: NewRoom =
            switch cell.kind {
            case .open: .open(RoomName("tea")!)
            case .private: .private(people: [bob])
            case .direct: .direct(people: [bob])
            }
        let operation = Operation(command: .random(), author: ann, role: cell.grant, time: 0, action: .create(new))
        var refusal: Refusal?
        do throws(Refusal) {
            _ = try operation.fold(onto: nil, under: RoomRules(of: cell.kind), at: 1, limits: WireLimits())
        } catch {
            refusal = error
        }

        #expect(refusal == (cell.grant < .write ? .notGranted(.write, cell.grant) : nil))
    }

    @Test(arguments: RoomName.Kind.allCases)
    func aServiceMayDoWhatAnOwnerMay(kind: RoomName.Kind) throws {
        let root = UserName("root")!
        var operation = Operation(
            command: .random(), author: root, role: .own, time: 0, action: .moderate(.slowMode(5)))
        operation.requester = .service

        let change = try operation.fold(onto: nil, under: RoomRules(of: kind), at: 9, limits: WireLimits())

        #expect(change == .ruled(.slowMode(5)))
    }
}

import ChatWire
import Replicas
import TestSupport
import Testing

/// The frames that a replica refuses; each leaves it unchanged.
struct ReplicaErrorTests {
    static let epoch = ListModel.epoch
    static let rows = (1...40).map { Card(id: $0, sort: UInt64($0 * 10), rev: UInt64($0)) }

    static func proof(_ rows: [Card]) -> ListProof {
        ListProof(count: rows.count, digest: ListDigest(rows.suffix(32)).value)
    }

    static func replica() throws -> Replica<Card> {
        try Replica(
            epoch: epoch, joined: 40, ListSnapshot(revision: 40, rows: rows, more: false, proof: proof(rows)))
    }

    @Test func anotherEpochIsRefused() throws {
        var replica = try Self.replica()
        let other = try #require(Epoch("other"))
        let diff = ListDiff<Card>(from: 40, to: 41, proof: Self.proof(Self.rows))

        #expect(throws: ReplicaError.otherEpoch(held: Self.epoch, found: other)) {
            try replica.apply(diff, epoch: other)
        }
        #expect(throws: ReplicaError.otherEpoch(held: Self.epoch, found: other)) {
            try replica.insert(ListPage(revision: 40, rows: [], more: false), epoch: other)
        }
    }

    @Test(arguments: [(41, 42), (39, 41), (0, 41), (.max - 1, .max)] as [(Revision, Revision)])
    func aDiffFromAnotherRevisionIsAGap(from: Revision, to: Revision) throws {
        var replica = try Self.replica()
        let diff = ListDiff<Card>(from: from, to: to, proof: Self.proof(Self.rows))

        #expect(throws: ReplicaError.gap(held: 40, from: from)) { try replica.apply(diff, epoch: Self.epoch) }
    }

    @Test(arguments: [(39, 40), (0, 1), (40, 39), (.max, 0)] as [(Revision, Revision)])
    func aDiffThatLeadsNoFurtherIsADuplicate(from: Revision, to: Revision) throws {
        var replica = try Self.replica()
        let diff = ListDiff<Card>(from: from, to: to, deletions: [40], proof: Self.proof(Self.rows))

        #expect(try replica.apply(diff, epoch: Self.epoch).isEmpty)
        #expect(replica.rows == Self.rows)
    }

    @Test func anAnswerThatNothingChangedIsProvedAllTheSame() throws {
        var replica = try Self.replica()
        let proof = ListProof(count: 40, digest: 1)

        #expect(throws: ReplicaError.self) {
            try replica.apply(ListDiff<Card>(from: 40, to: 40, proof: proof), epoch: Self.epoch)
        }
    }

    @Test func anOperationOfALaterVersionIsRefused() throws {
        var replica = try Self.replica()
        var diff = ListDiff<Card>(from: 40, to: 41, proof: Self.proof(Self.rows))
        diff.unknownOperation = "swp"

        #expect(throws: ReplicaError.unknownOperation("swp")) { try replica.apply(diff, epoch: Self.epoch) }
        #expect(ReplicaError.unknownOperation("swp").remedy == .startAfresh)
    }

    static let move = ListMove<Card>(id: 3, section: .back, sort: 7, rev: 41)
    static let row = Card(id: 3, sort: 30, rev: 41)
    static let light = ListReconfiguration<Card>(id: 3, rev: 41, light: 2)

    @Test(arguments: [
        (ListDiff(from: 40, to: 41, deletions: [3, 3], proof: proof(rows)), "row 3 stands twice in a diff"),
        (ListDiff(from: 40, to: 41, deletions: [3], moves: [move], proof: proof(rows)), "row 3 stands twice in a diff"),
        (
            ListDiff(from: 40, to: 41, deletions: [3], reloads: [row], proof: proof(rows)),
            "row 3 stands twice in a diff"
        ),
        (
            ListDiff(from: 40, to: 41, moves: [move], insertions: [row], proof: proof(rows)),
            "row 3 stands twice in a diff"
        ),
        (
            ListDiff(from: 40, to: 41, insertions: [row], reconfigurations: [light], proof: proof(rows)),
            "row 3 stands twice in a diff"
        ),
        (
            ListDiff(from: 40, to: 41, moves: [move], reloads: [row], reconfigurations: [light], proof: proof(rows)),
            "row 3 stands twice in a diff"
        ),
        (ListDiff(from: 40, to: 41, reloads: [row, row], proof: proof(rows)), "row 3 stands twice in a diff"),
        (
            ListDiff(from: 40, to: 41, insertions: [Card(id: 99, sort: 50, rev: 41)], proof: proof(rows)),
            "row 99 comes to the place of row 5, sort 50"
        ),
        (
            ListDiff(
                from: 40, to: 41, insertions: [Card(id: 98, sort: 7, rev: 41), Card(id: 99, sort: 7, rev: 41)],
                proof: proof(rows)),
            "row 99 at sort 7 does not stand after row 98 at sort 7"
        ),
    ])
    func aDiffThatContradictsItselfIsRefusedWhole(diff: ListDiff<Card>, message: String) throws {
        var replica = try Self.replica()

        #expect(throws: ReplicaError.malformed(message)) { try replica.apply(diff, epoch: Self.epoch) }
        #expect(replica.rows == Self.rows)
        #expect(replica.revision == 40)
    }

    @Test func aRowMayMoveAndChangeAtOnce() throws {
        var replica = try Self.replica()
        var moved = Self.row
        (moved.section, moved.sort, moved.text) = (.back, 7, 5)
        var content = Self.row
        content.text = 5
        let after = Self.rows.filter { $0.id != 3 } + [moved]

        let diff = ListDiff(from: 40, to: 41, moves: [Self.move], reloads: [content], proof: Self.proof(after))
        try replica.apply(diff, epoch: Self.epoch)

        #expect(replica.rows == after)
    }

    @Test func aRowMadeAnewUnderItsOldIDTakesItsNewPlace() throws {
        var replica = try Self.replica()
        let again = Card(id: 3, sort: 410, rev: 41, text: 1)
        let after = Self.rows.filter { $0.id != 3 } + [again]

        try replica.apply(ListDiff(from: 40, to: 41, insertions: [again], proof: Self.proof(after)), epoch: Self.epoch)

        #expect(replica.rows == after)
    }

    @Test(arguments: 0..<32)
    func oneTamperedRowIsFound(place: Int) throws {
        let right = Self.proof(Self.rows)
        var tampered = Self.rows
        tampered[8 + place].rev += 1

        #expect(throws: ReplicaError.diverged(expected: right, found: Self.proof(tampered))) {
            try Replica(
                epoch: Self.epoch, joined: 0,
                ListSnapshot(revision: 40, rows: tampered, more: false, proof: right))
        }
    }

    @Test(arguments: 0..<32)
    func oneRowThatADiffShouldHaveChangedIsFound(place: Int) throws {
        var replica = try Self.replica()
        var after = Self.rows
        after[8 + place].rev = 41

        #expect(throws: ReplicaError.diverged(expected: Self.proof(after), found: Self.proof(Self.rows))) {
            try replica.apply(ListDiff(from: 40, to: 41, proof: Self.proof(after)), epoch: Self.epoch)
        }
        #expect(replica.revision == 40)
    }

    @Test func aReplicaOfTheWholeListKnowsHowLongItIs() throws {
        var replica = try Self.replica()
        let longer = ListProof(count: 41, digest: Self.proof(Self.rows).digest)

        #expect(throws: ReplicaError.diverged(expected: longer, found: Self.proof(Self.rows))) {
            try replica.apply(ListDiff<Card>(from: 40, to: 41, proof: longer), epoch: Self.epoch)
        }
    }

    @Test func aSnapshotOutOfOrderIsRefused() throws {
        let rows = [Card(id: 1, sort: 2, rev: 1), Card(id: 2, sort: 1, rev: 2)]
        let twice = [Card(id: 1, sort: 1, rev: 1), Card(id: 1, sort: 2, rev: 2)]

        #expect(throws: ReplicaError.malformed("row 2 at sort 1 does not stand after row 1 at sort 2")) {
            try Replica(
                epoch: Self.epoch, joined: 0,
                ListSnapshot(revision: 2, rows: rows, more: false, proof: Self.proof(rows)))
        }
        #expect(throws: ReplicaError.malformed("row 1 stands twice in a snapshot")) {
            try Replica(
                epoch: Self.epoch, joined: 0,
                ListSnapshot(revision: 2, rows: twice, more: false, proof: Self.proof(twice)))
        }
    }
}

/// A replica applies any frame, or stays unchanged.
struct HostileFrameTests {
    @Test(arguments: UInt64(0)..<100)
    func aReplicaIsInOrderWhateverItIsSent(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var replica = try ReplicaErrorTests.replica()
        for _ in 0..<40 {
            let before = replica
            do {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let page = ListPage(
                        revision: extreme(&random),
                        rows: cards(&random).sorted { ($0.section, $0.sort) < ($1.section, $1.sort) },
                        more: Bool.random(using: &random))
                    try replica.insert(page, epoch: ListModel.epoch)
                } else {
                    var diff = diff(&random, at: replica.revision)
                    diff.proof = proof(of: diff, on: replica)
                    try replica.apply(diff, epoch: ListModel.epoch)
                }
            } catch {
                #expect(replica.rows == before.rows)
                #expect(replica.revision == before.revision)
            }
            #expect(
                zip(replica.rows, replica.rows.dropFirst()).allSatisfy { ($0.section, $0.sort) < ($1.section, $1.sort) }
            )
            #expect(replica.rows.indices.allSatisfy { replica.index(of: replica.rows[$0].id) == $0 })
        }
    }

    private func extreme(_ random: inout SplitMix64) -> UInt64 {
        [0, 1, 50, 1 << 53 - 1, .max - 1, .max, UInt64.random(in: 0...500, using: &random)]
            .randomElement(using: &random) ?? 0
    }

    private func cards(_ random: inout SplitMix64) -> [Card] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Card(
                id: Int.random(in: 0...60, using: &random), section: section(&random), sort: extreme(&random),
                rev: extreme(&random))
        }
    }

    private func section(_ random: inout SplitMix64) -> Card.Section {
        Card.Section.allCases.randomElement(using: &random) ?? .back
    }

    private func diff(_ random: inout SplitMix64, at revision: Revision) -> ListDiff<Card> {
        let moves = cards(&random).map { ListMove<Card>(id: $0.id, section: $0.section, sort: $0.sort, rev: $0.rev) }
        let lights = cards(&random).map { ListReconfiguration<Card>(id: $0.id, rev: $0.rev, light: 1) }
        return ListDiff(
            from: revision, to: revision < 300 ? revision + 1 : extreme(&random),
            deletions: cards(&random).map(\.id), moves: moves, insertions: cards(&random), reloads: cards(&random),
            reconfigurations: lights, proof: ListProof(count: Int.random(in: -1...60, using: &random), digest: 0))
    }

    /// Returns mostly the right proof, because a wrong one would hide other errors.
    private func proof(of diff: ListDiff<Card>, on replica: Replica<Card>) -> ListProof {
        var trial = replica
        do throws(ReplicaError) {
            try trial.apply(diff, epoch: ListModel.epoch)
            return diff.proof
        } catch {
            guard case .diverged(_, let found) = error else { return diff.proof }
            return found
        }
    }
}

import ChatWire
import TestSupport
import Testing

/// The vectors of frames and digests in docs/protocol/vectors, which any language can replay.
struct GoldenVectorTests {
    @Test func framesAreTakenOrRefusedAsTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("client-frames") {
            let text = try #require(example["text"] as? String)
            let found: [String?]
            do {
                found = [nil, "\(try ClientFrame(json: Array(text.utf8)).ref)", nil]
            } catch FrameError.notAnObject {
                found = [nil, nil, "\(CloseCode.badFrame)"]
            } catch FrameError.bad(let ref, let error) {
                found = [error.code.rawValue, ref.map { "\($0)" }, nil]
            }
            let ref = (example["ref"] as? Int).map { "\($0)" }
            let close = (example["close"] as? Int).map { "\($0)" }

            #expect(found == [example["error"] as? String, ref, close], "\(text)")
        }
    }

    @Test func framesThatAreTooLongAreAnsweredAsTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("long-frames") {
            let pad = String(repeating: "x", count: try #require(example["pad"] as? Int))
            let ends = (try #require(example["start"] as? String), try #require(example["end"] as? String))
            let bytes = Array((ends.0 + pad + ends.1).utf8)
            let error = FrameError(
                oversized: bytes.count, WireLimits().frame, start: Array(bytes.prefix(256)),
                end: Array(bytes.suffix(256)))

            guard case .bad(let ref, let answer) = error else { throw error }
            #expect(answer.code == .tooLarge)
            #expect(ref == (example["ref"] as? Int).map { UInt64($0) }, "\(ends)")
        }
    }

    @Test func digestsOfPinnedMessagesAreWhatTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("pin-digests") {
            let rows = try #require(example["rows"] as? [[String: Any]]).map { row in
                Pin(
                    id: try #require(MessageID(row["id"] as? String ?? "")),
                    sort: try #require(row["sort"] as? UInt64), rev: try #require(row["rev"] as? UInt64),
                    author: try #require(UserName("ann")), time: 0, light: .init(content: ""))
            }

            #expect(ListDigest(rows.suffix(ListDigest.window)).value == example["digest"] as? UInt32)
        }
    }

    @Test func digestsOfPeopleAreWhatTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("people-digests") {
            let rows = try #require(example["rows"] as? [[String: Any]]).map { row in
                Person(
                    id: try #require(UserName(row["id"] as? String ?? "")), sort: try #require(row["sort"] as? UInt64),
                    rev: try #require(row["rev"] as? UInt64), light: Profile())
            }

            #expect(ListDigest(rows.suffix(ListDigest.window)).value == example["digest"] as? UInt32)
        }
    }

    @Test func sumsOfRowsAreWhatTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("row-sums") {
            let rows = try #require(example["rows"] as? [[String]]).map { pair in
                let (id, tag) = (try #require(UserName(known: pair[0])), try #require(UniqueID(pair[1])))
                return Person(id: id, sort: 0, rev: 0, tag: tag, light: Profile())
            }

            let sums = try #require(RowSums(of: rows))

            #expect(String(decoding: sums.text, as: UTF8.self) == example["sums"] as? String)
            #expect(RowSums(sums.text) == sums)
            let items = rows.compactMap { row in
                UniqueID(row.id.description).map { id in
                    let plan = LaterItem.Plan(.remind(id), in: .init("lobby")!, at: 0)
                    return LaterItem(id: id, section: .due, sort: 0, rev: 0, tag: row.tag, light: LaterItem.Light(plan))
                }
            }
            // An id of 16 bytes counts as it is written, too.
            if items.count == rows.count { #expect(RowSums(of: items) == sums) }
        }
    }

    @Test func digestsAreWhatTheVectorsSay() throws {
        for example in try ProtocolDocuments.vectors("digests") {
            let rows = try #require(example["rows"] as? [[String: Any]]).map { row in
                Message(
                    id: try #require(MessageID(row["id"] as? String ?? "")), section: .history,
                    sort: try #require(row["sort"] as? UInt64), rev: try #require(row["rev"] as? UInt64),
                    author: try #require(UserName("ann")), time: 0, content: "")
            }

            #expect(ListDigest(rows.suffix(ListDigest.window)).value == example["digest"] as? UInt32)
        }
        for example in try ProtocolDocuments.vectors("mention-digests") {
            let rows = try #require(example["rows"] as? [[String: Any]]).map { row in
                // The name of a thread has slashes, too.
                let id = try #require(row["id"] as? String)
                let slash = try #require(id.lastIndex(of: "/"))
                let room = try #require(RoomName(String(id[..<slash])))
                let message = try #require(MessageID(String(id[id.index(after: slash)...])))
                return MyMention(
                    id: .init(room: room, message: message),
                    sort: try #require(row["sort"] as? UInt64), rev: try #require(row["rev"] as? UInt64),
                    author: try #require(UserName("ann")), time: 0, light: .init(text: "", isRead: false))
            }

            #expect(ListDigest(rows.suffix(ListDigest.window)).value == example["digest"] as? UInt32)
        }
        for example in try ProtocolDocuments.vectors("member-digests") {
            let rows = try #require(example["rows"] as? [[String: Any]]).map { row in
                Member(
                    id: try #require(UserName(row["id"] as? String ?? "")), section: .online,
                    sort: try #require(row["sort"] as? UInt64), rev: try #require(row["rev"] as? UInt64))
            }

            #expect(ListDigest(rows.suffix(ListDigest.window)).value == example["digest"] as? UInt32)
        }
    }
}

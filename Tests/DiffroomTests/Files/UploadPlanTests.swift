import ChatWire
import HTTPClient
import TestSupport
import Testing

@testable import diffroom

@Suite struct UploadPlanTests {
    private typealias Answer = HTTPUploader.Answer
    private static let attachment = ChatWire.Attachment(
        id: FileID(high: 0, low: 1),
        FileDescription(name: "cat.png", media: "image/png", size: 1_000, sha256: String(repeating: "a", count: 64))!,
        proof: "p")

    private func plan() -> UploadPlan { UploadPlan(name: "cat.png", size: 1_000) }

    private func refusal(_ reason: WireError.Reason, _ status: Int, retryAfter: Milliseconds? = nil)
        -> HTTPUploader.Outcome
    {
        .answered(
            Answer(
                status: status, body: ServerFrame.error(ref: nil, WireError(reason, "why", retryAfter: retryAfter)).json
            ))
    }

    @Test func aWholeFileIsDone() {
        var plan = plan()

        #expect(plan.permitted() == .put(from: 0))
        #expect(plan.handle(.answered(Answer(status: 201, body: Self.attachment.json))) == .done(Self.attachment))
        #expect(
            plan.handle(.answered(Answer(status: 201))) == .fail("the server's answer to the upload cannot be read"))
    }

    @Test func afterABrokenConnectionItGoesOnWhereTheServerIs() {
        var plan = plan()
        _ = plan.permitted()

        #expect(plan.handle(.failed("broke")) == .pause(500, "broke"))
        #expect(plan.handle(.failed("refused")) == .pause(1_000, "refused"))
        #expect(plan.handle(.answered(Answer(status: 200, offset: 400))) == .put(from: 400))
        #expect(plan.handle(.failed("broke")) == .pause(1_000, "broke"))
        #expect(plan.handle(.answered(Answer(status: 200, offset: 1_000))) == .put(from: 999))
        #expect(plan.handle(.answered(Answer(status: 409, offset: 700))) == .put(from: 700))
    }

    @Test func whatIsInTheStoreIsConfirmed() {
        var plan = plan()

        #expect(plan.permitted(.store) == .put(from: 0))
        #expect(plan.handle(.answered(Answer(status: 200))) == .confirm)
        #expect(plan.handle(.answered(Answer(status: 201, body: Self.attachment.json))) == .done(Self.attachment))
    }

    /// Its answer may have been lost: the server is asked before the bytes are sent again.
    @Test func afterABrokenConnectionTheStoreMayHaveAll() {
        var plan = plan()
        _ = plan.permitted(.store)

        #expect(plan.handle(.failed("broke")) == .pause(500, "broke"))
        #expect(plan.look == .confirm)
        #expect(plan.handle(refusal(.noFile, 404)) == .put(from: 0))
        #expect(plan.handle(refusal(.notWritable, 503, retryAfter: 90)) == .pause(90, "why"))
        #expect(plan.handle(.answered(Answer(status: 403))) == .pauseBeforePermit(0, "the server answers with 403"))
    }

    @Test func otherBytesAreSentOnceMoreToAStore() {
        var plan = plan()
        _ = plan.permitted(.store)

        #expect(plan.handle(.answered(Answer(status: 400))) == .put(from: 0), "the store compares them")
        #expect(plan.handle(refusal(.checksum, 400)) == .fail("cat.png has changed while it was sent: send it again"))
    }

    @Test func aStoreThatLosesTheBytesEndsIt() {
        var plan = plan()
        var step = plan.permitted(.store)
        for _ in 0...UploadPlan.mostAttempts where !step.isEnd {
            _ = plan.handle(.answered(Answer(status: 200)))
            step = plan.handle(refusal(.noFile, 404))
        }

        #expect(step == .fail("why"))
    }

    @Test func aRefusalThatPassesIsWaitedFor() {
        var plan = plan()

        #expect(plan.refused(WireError(.pages, "slowly", retryAfter: 70)) == .pauseBeforePermit(70, "slowly"))
        #expect(plan.handle(refusal(.overloaded, 503, retryAfter: 80)) == .pause(80, "why"))
        #expect(plan.handle(refusal(.offset, 409, retryAfter: 90)) == .pause(90, "why"))
        #expect(plan.handle(refusal(.link, 403)) == .pauseBeforePermit(0, "why"))
        guard case .pause(_, "the server answers with 502")? = Optional(plan.handle(.answered(Answer(status: 502))))
        else {
            Issue.record("a proxy's answer ends it")
            return
        }
    }

    @Test(arguments: [WireError.Reason.role, .noFiles, .tooLong, .invalid])
    func aRefusalThatStaysIsTheEnd(reason: WireError.Reason) {
        var plan = plan()

        #expect(plan.refused(WireError(reason, "never")) == .fail("never"))
    }

    @Test func whatIsTooMuchIsTheEnd() {
        var plan = plan()

        #expect(plan.handle(refusal(.userFiles, 413)) == .fail("why"))
        #expect(plan.handle(.answered(Answer(status: 413))) == .fail("the server answers with 413"))
        #expect(plan.handle(.unreadable) == .fail("cat.png cannot be read, or has become shorter: send it again"))
        #expect(
            plan.handle(.answered(Answer(status: 200, offset: 1_001)))
                == .fail("the server has more of cat.png than there is"))
    }

    @Test func otherBytesAreSentOnceMoreAndThenNoMore() {
        var plan = plan()
        _ = plan.permitted()

        #expect(plan.handle(refusal(.checksum, 400)) == .put(from: 0))
        #expect(plan.handle(refusal(.checksum, 400)) == .fail("cat.png has changed while it was sent: send it again"))
    }

    @Test func withoutProgressItEnds() {
        for outcome: HTTPUploader.Outcome in [.failed("broke"), .answered(Answer(status: 202, offset: 5))] {
            var (plan, step, count) = (plan(), UploadPlan.Step.permit, 0)
            repeat {
                step = plan.handle(outcome)
                count += 1
            } while !step.isEnd
            #expect((UploadPlan.mostAttempts...UploadPlan.mostAttempts + 2).contains(count))
        }
    }

    /// A server that keeps some of the bytes that it gets, breaks off and forgets, against which each upload ends with the
    /// whole file, and sends no byte at a place where the server is not.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func eachUploadEndsWithAllBytes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (plan, kept, failures) = (plan(), 0, 0)
        var step = UploadPlan.Step.permit
        for _ in 0..<10_000 {
            let breaks = failures < UploadPlan.mostAttempts - 2 && Bool.random(using: &random)
            failures = breaks ? failures + 1 : 0
            switch step {
            case .permit, .pauseBeforePermit:
                kept = 0
                step = plan.permitted()
            case .confirm:
                Issue.record("there is no store")
                return
            case .head, .pause:
                step = plan.handle(breaks ? .failed("") : .answered(Answer(status: 200, offset: kept)))
            case .put(let offset) where kept == 1_000 || offset == kept:
                let before = kept
                if kept < 1_000 { kept = breaks ? Int.random(in: kept...1_000, using: &random) : 1_000 }
                if kept > before { failures = 0 }
                let done = HTTPUploader.Outcome.answered(Answer(status: 201, body: Self.attachment.json))
                step = plan.handle(breaks ? .failed("") : done)
            case .put: step = plan.handle(.answered(Answer(status: 409, offset: kept)))
            case .done(let file):
                #expect(file == Self.attachment && kept == 1_000)
                return
            case .fail(let why):
                Issue.record("it ended: \(why)")
                return
            }
        }
        Issue.record("it never ended")
    }
}

extension UploadPlan.Step {
    fileprivate var isEnd: Bool {
        switch self {
        case .done, .fail: true
        case .permit, .put, .head, .confirm, .pause, .pauseBeforePermit: false
        }
    }
}

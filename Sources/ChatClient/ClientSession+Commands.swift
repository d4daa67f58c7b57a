import ChatWire

extension ClientSession {
    mutating func enqueue(_ command: Command) {
        guard !outbox.isFull else {
            let full = WireError(
                code: .tooLarge, "\(Outbox.capacity) commands wait to be sent: wait until some are answered")
            effects.append(.answered(command, .refused(full)))
            return
        }
        outbox.append(command)
        pump()
    }

    /// Sends all commands that may be sent now, in order.
    mutating func pump() {
        guard let limits = welcome?.limits else { return }
        while hasRoom, let command = outbox.dequeue(ref: nextRef, limit: limits.pending, now: now) {
            if let violation = command.violation(of: limits) {
                _ = outbox.answered(ref: nextRef)
                effects.append(.answered(command, .refused(violation)))
            } else {
                _ = request(command.request, .command)
            }
        }
    }

    /// Handles a close whose code says that the server cannot accept what it was sent, now or later.
    mutating func connectionClosed(over loss: ConnectionLoss) {
        guard case .ready = phase, case .closed(let code, _) = loss, let command = outbox.removeSuspect() else {
            return
        }
        let error = WireError(
            code == CloseCode.tooLarge ? .frame : .syntax,
            "the server closed the connection over this, and would again (\(code)): it is not sent any more")
        effects.append(.answered(command, .refused(error)))
    }

    mutating func commandDone(_ ref: UInt64, _ effect: ServerFrame.Effect?) {
        if let command = outbox.answered(ref: ref) { effects.append(.answered(command, .done(effect))) }
        pump()
    }

    mutating func commandFailed(_ ref: UInt64, _ error: WireError) {
        if error.isPassing {
            outbox.postpone(ref: ref, until: now + error.pause)
        } else if let command = outbox.answered(ref: ref) {
            effects.append(.answered(command, .refused(error)))
        }
        pump()
    }
}

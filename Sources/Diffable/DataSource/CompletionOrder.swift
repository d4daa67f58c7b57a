/// The completions of applies that may still be animating. Each is called once, in the order of the applies.
@usableFromInline
final class CompletionOrder {
    private struct Entry {
        var number: Int
        var isDone: Bool
        var completion: () -> Void
    }

    private var entries: [Entry] = []
    private var nextNumber = 0
    private var isCalling = false

    @usableFromInline
    init() {}

    /// Adds a completion to the queue. The ticket returned marks it as done. Nil needs no place in the queue.
    @usableFromInline
    func enqueue(_ completion: (() -> Void)?) -> Ticket? {
        guard let completion else { return nil }
        defer { nextNumber += 1 }
        entries.append(Entry(number: nextNumber, isDone: false, completion: completion))
        return Ticket(order: self, number: nextNumber)
    }

    /// Marks everything in the queue as done.
    @usableFromInline
    func finishAll() {
        for place in entries.indices { entries[place].isDone = true }
        callWhatIsDone()
    }

    fileprivate func finish(_ number: Int) {
        guard let place = entries.firstIndex(where: { $0.number == number }), !entries[place].isDone else { return }
        entries[place].isDone = true
        callWhatIsDone()
    }

    /// A completion may apply again and so return here. Only the outermost call goes on, one completion at a time.
    private func callWhatIsDone() {
        if isCalling { return }
        isCalling = true
        while let first = entries.first, first.isDone {
            entries.removeFirst()
            first.completion()
        }
        isCalling = false
    }
}

extension CompletionOrder {
    /// A place in the queue. Releasing it marks it as done, so that nothing waits for a view that forgets its
    /// completion.
    @usableFromInline
    final class Ticket {
        private let order: CompletionOrder
        private let number: Int

        init(order: CompletionOrder, number: Int) {
            self.order = order
            self.number = number
        }

        deinit {
            finish()
        }

        @usableFromInline
        func finish() {
            order.finish(number)
        }
    }
}

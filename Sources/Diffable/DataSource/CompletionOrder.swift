/// The completions of applies that may still be animating. Each is called once, in the order of the applies.
///
/// - Complexity: O(1) amortised for each, however many wait.
@usableFromInline
final class CompletionOrder {
    private struct Entry {
        var isDone = false
        var completion: () -> Void
    }

    private var entries = Queue<Entry>()
    /// The number of the first entry; the others follow without a gap.
    private var firstNumber = 0
    /// Entries with lower numbers are done.
    private var doneBelow = 0
    private var isCalling = false

    @usableFromInline
    init() {}

    /// Adds a completion to the queue. The ticket returned marks it as done. Nil needs no place in the queue.
    @usableFromInline
    func enqueue(_ completion: (() -> Void)?) -> Ticket? {
        guard let completion else { return nil }
        entries.append(Entry(completion: completion))
        return Ticket(order: self, number: firstNumber + entries.count - 1)
    }

    /// Marks everything in the queue as done.
    @usableFromInline
    func finishAll() {
        doneBelow = firstNumber + entries.count
        callWhatIsDone()
    }

    fileprivate func finish(_ number: Int) {
        if number < max(firstNumber, doneBelow) { return }
        entries.change(number - firstNumber) { $0.isDone = true }
        callWhatIsDone()
    }

    /// A completion may apply again and so return here. Only the outermost call goes on, one completion at a time.
    private func callWhatIsDone() {
        if isCalling { return }
        isCalling = true
        while let first = entries.first, first.isDone || firstNumber < doneBelow {
            _ = entries.popFirst()
            firstNumber += 1
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

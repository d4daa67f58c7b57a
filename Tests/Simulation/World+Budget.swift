// What is kept for readers has limits.

extension World {
    /// The encoded frames that a shard keeps stay within its share, but for one frame.
    func checkCaches(of shard: Shard) {
        let kept = shard.cachedBytes
        let share = weather.budget / 4 / weather.shards + shard.largestDelivery
        if kept > share { complain("\(kept) bytes of \(share) are kept of what was encoded") }
    }

    /// The bytes kept for readers exceed the budget only for as long as it takes to let go of them.
    func checkBudget(of server: Server) {
        guard server.keptBytes > weather.budget else {
            server.overBudgetSince = nil
            return
        }
        let since = server.overBudgetSince ?? clock.now
        server.overBudgetSince = since
        // What is encoded goes when the rooms' queue comes to it, and has a law of its own.
        if since < clock.now, server.waitingBytes > 0 {
            complain("\(server.keptBytes) bytes of \(weather.budget) are kept for readers, since \(since) ms")
        }
    }
}

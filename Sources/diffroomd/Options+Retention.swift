import ChatRoom
import ChatWire
import CommandLineFlags
import RoomStore

/// The options of retention.
extension Options {
    /// `nil` without any such option: then everything is kept for ever.
    static func retention(_ values: FlagValues) throws(FlagError) -> Retention? {
        guard ["keep-messages", "keep-days", "keep-rooms", "resume-days"].contains(where: { values[$0] != nil }) else {
            return nil
        }
        var retention = Retention(.everything, rules: try roomRules(values))
        if values["keep-messages"] != nil {
            retention.rule.messages = try values.number("keep-messages", in: 0...1_000_000_000)
        }
        if values["keep-days"] != nil { retention.rule.age = try days("keep-days", in: 0...100_000, values) }
        if values["resume-days"] != nil { retention.resumeTime = try days("resume-days", in: 1...100_000, values) }
        return retention
    }

    private static func days(
        _ name: String, in range: ClosedRange<Int>, _ values: FlagValues
    ) throws(FlagError) -> Milliseconds {
        Milliseconds(try values.number(name, in: range)) * Retention.day
    }

    private static func roomRules(_ values: FlagValues) throws(FlagError) -> [RoomPattern: Retention.Rule] {
        var rules: [RoomPattern: Retention.Rule] = [:]
        for text in values.all("keep-rooms") {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let rooms = RoomPattern(String(parts[0])), let rule = rule(parts[1]) else {
                throw .badValue(
                    "keep-rooms", text,
                    "must be a room or the beginning of some with '*', '=', and a number of messages, a number of days "
                        + "with 'd', both with '/' between, or 'all'")
            }
            rules[rooms] = rule
        }
        return rules
    }

    private static func rule(_ text: Substring) -> Retention.Rule? {
        var rule = Retention.Rule.everything
        if text == "all" { return rule }
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            if part.last == "d", let days = Milliseconds(part.dropLast()), (0...100_000).contains(days),
                rule.age == nil
            {
                rule.age = days * Retention.day
            } else if let messages = Int(part), messages >= 0, rule.messages == nil {
                rule.messages = messages
            } else {
                return nil
            }
        }
        return rule
    }
}

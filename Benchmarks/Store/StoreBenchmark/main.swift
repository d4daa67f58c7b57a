// Measures the store. Each prints one line of numbers for Benchmarks/Store/run to gather.

let words = Array(CommandLine.arguments.dropFirst())
let numbers = words.dropFirst(2).compactMap { Int($0) }
switch (words.first, words.dropFirst().first, numbers.count) {
case ("tables", let path?, 0): _ = try openStore(path)
case ("commit", let path?, 3): try commit(path, rooms: numbers[0], batch: numbers[1], messages: numbers[2])
case ("fill", let path?, 1): try fill(path, messages: numbers[0])
case ("mute", let path?, 1): try mute(path, people: numbers[0])
case ("open", let path?, 1): try open(path, times: numbers[0])
case ("join", let path?, 1): try join(path, times: numbers[0])
case ("members", let path?, 2): try populate(path, rooms: numbers[0], members: numbers[1])
case ("memberships", let path?, 2): try memberships(path, unread: numbers[0], times: numbers[1])
case ("list", let path?, 2): try list(path, members: numbers[0], times: numbers[1])
case ("resume", let path?, 1): try resume(path, times: numbers[0])
default:
    print(
        """
        StoreBenchmark tables FILE                          makes an empty file
        StoreBenchmark commit FILE ROOMS BATCH MESSAGES     messages a second; median, 99th percentile and longest commit,
                                                            in ms; longest log, in kB
        StoreBenchmark fill FILE MESSAGES                   one room of so many messages
        StoreBenchmark members FILE ROOMS MEMBERS           so many rooms of one message each, and of the same members
        StoreBenchmark join FILE TIMES                      median time to read its last 50 rows, in µs
        StoreBenchmark mute FILE PEOPLE                     a room in which so many people are muted
        StoreBenchmark open FILE TIMES                      median time to open it for one person, and with the standings
                                                            of all, in µs
        StoreBenchmark memberships FILE UNREAD TIMES        median time to read 100 memberships, one with so many unread
                                                            messages, in µs
        StoreBenchmark list FILE MEMBERS TIMES              median time to read the list of its members, of whom there are
                                                            so many, in µs
        StoreBenchmark resume FILE TIMES                    median time to read 3 changes and the last 50 rows, in µs
        """)
}

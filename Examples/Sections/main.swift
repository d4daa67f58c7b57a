// Sections that are objects with headers of their own, and an outline in one of them.

import Diffable
import ExampleTerminal

/// A section of a video course. Objects may be identifiers: here two are equal if they are the same object.
final class Course: Hashable, Sendable {
    let title: String
    let videos: [String]

    init(title: String, videos: [String]) {
        self.title = title
        self.videos = videos
    }

    static func == (a: Course, b: Course) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

let swift = Course(title: "Swift", videos: ["Values", "Protocols", "Concurrency"])
let lists = Course(title: "Lists", videos: ["Snapshots", "Differences"])
let extras = Course(title: "Extras", videos: [])

let table = TerminalTable<Course, String>()
let source = DiffableDataSource<TerminalTable<Course, String>, Course, String>(view: table) { _, _, video, _ in
    "▸ \(video)"
}
source.sectionHeaderProvider = { _, place, course in
    "\(place + 1). \(course.title) (\(source.numberOfItems(inSection: place)))"
}
table.source = source

print("Two courses")
var snapshot = Snapshot<Course, String>()
for course in [swift, lists] {
    snapshot.appendSections([course])
    snapshot.appendItems(course.videos, toSection: course)
}
source.apply(snapshot)

print("The second comes first, with its videos, and one video changes its course")
snapshot.moveSection(lists, beforeSection: swift)
snapshot.moveItem("Concurrency", afterItem: "Snapshots")
source.apply(snapshot)

print("A course with an outline, folded")
var outline = SectionSnapshot<String>()
outline.append(["Interviews", "Outtakes"])
outline.append(["Ann", "Bob"], to: "Interviews")
source.apply(outline, to: extras)

print("Unfolded")
source.expandItem("Interviews")
print(source.snapshot(for: extras).visualDescription())

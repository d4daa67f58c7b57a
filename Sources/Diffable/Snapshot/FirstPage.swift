/// What says where the first page of a first section is. All lists begin alike: they share these instead of allocating four
/// arrays of one number each, which for a list of a few rows is half of what it takes to build.
@usableFromInline
enum FirstPage {
    @usableFromInline static let order: ContiguousArray<Int> = [0]
    @usableFromInline static let homes: ContiguousArray<PageHome> = [PageHome(token: 0, ordinal: 0)]
    @usableFromInline static let numbers: ContiguousArray<Int32> = [0]
    @usableFromInline static let starts: ContiguousArray<Int32> = [0]
}

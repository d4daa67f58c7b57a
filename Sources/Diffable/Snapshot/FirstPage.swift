/// The location of the first page of a first section. All lists begin in the same way, so they share these instead of
/// allocating four arrays of one number each, which is half of the work of building a list of a few rows.
@usableFromInline
enum FirstPage {
    @usableFromInline static let order: ContiguousArray<Int> = [0]
    @usableFromInline static let homes: ContiguousArray<PageHome> = [PageHome(token: 0, ordinal: 0)]
    @usableFromInline static let numbers: ContiguousArray<Int32> = [0]
    @usableFromInline static let starts: ContiguousArray<Int32> = [0]
}

/// A person's display name and picture.
public struct Profile: Equatable, Sendable {
    public var name: DisplayName?
    public var picture: Picture?

    /// A profile that says nothing is as good as none.
    public var isEmpty: Bool { name == nil && picture == nil }

    public init(name: DisplayName? = nil, picture: Picture? = nil) {
        self.name = name
        self.picture = picture
    }
}

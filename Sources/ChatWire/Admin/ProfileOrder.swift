/// An operator's request to replace a person's profile.
package struct ProfileOrder: Equatable, Sendable {
    package let user: UserName
    package let profile: Profile

    package init(json: [UInt8]) throws(WireError) {
        let fields = try Fields(body: json)
        user = try fields.user("user", .known)
        // Both are wanted: a misspelt field would remove what it is meant to set.
        for key in ["name", "picture"] { _ = try fields.required(key, "a string, empty for none") }
        profile = try Profile(fields, .entered)
    }
}

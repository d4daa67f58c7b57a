/// The version of this release, as every program reports it.
public let diffroomVersion = "0.1.0"

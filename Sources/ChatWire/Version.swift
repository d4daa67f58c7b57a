/// The version of this release, as every program of it reports it.
public let diffroomVersion = "0.1.0"

// swift-tools-version: 6.2
// Diffable by itself. This folder is a package of its own, which can be depended on, copied or split off without the
// chat room around it. The chat room's package has the same targets.

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Diffable",
    // The versions that have `CollectionDifference`.
    platforms: [.macOS(.v10_15), .iOS(.v13), .macCatalyst(.v13), .tvOS(.v13), .watchOS(.v6), .visionOS(.v1)],
    products: [
        .library(name: "Diffable", targets: ["Diffable"]),
        .library(name: "DiffableCompatibility", targets: ["DiffableCompatibility"]),
        .library(name: "DiffableViews", targets: ["DiffableViews"]),
    ],
    targets: [
        .target(name: "Diffable", path: ".", exclude: ["Compatibility", "README.md", "Views"], swiftSettings: strict),
        .target(
            name: "DiffableCompatibility", dependencies: ["Diffable"], path: "Compatibility", swiftSettings: strict),
        .target(name: "DiffableViews", dependencies: ["Diffable"], path: "Views", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

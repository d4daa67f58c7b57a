// swift-tools-version: 6.2
// Benchmarks of the package beside this folder, kept apart so that building the package builds none of them.
// One executable target each: swift run -c release --package-path Benchmarks <target>

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The folder of DifferenceKit's sources, to measure it beside Diffable.
let peer = Context.environment["DIFFERENCEKIT"]
let peerPackage = peer.map { String($0.split(separator: "/").last ?? "") } ?? ""
let peerDependency: [Target.Dependency] =
    peer == nil ? [] : [.product(name: "DifferenceKit", package: peerPackage)]

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "diffroom", path: "..")] + (peer.map { [.package(path: $0)] } ?? []),
    targets: [
        .systemLibrary(name: "BenchmarkCMalloc", path: "CMalloc"),  // the module CMalloc of the package's tests
        .executableTarget(
            name: "DiffableBenchmark",
            dependencies: ["BenchmarkCMalloc", .product(name: "Diffable", package: "diffroom")] + peerDependency,
            path: "DiffableBenchmark",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "WireBenchmark",
            dependencies: [.product(name: "ChatClient", package: "diffroom")],  // which ChatWire comes with
            path: "WireBenchmark",
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)

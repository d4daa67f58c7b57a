// swift-tools-version: 6.2
// The targets are the architecture: imports go down the layers (3 → 0), never up. `scripts/check` enforces it.

import PackageDescription

/// Every Swift target: the upcoming language as the compiler offers it today. `scripts/build --tests` makes warnings errors:
/// from here they would stop packages that depend on this one, whose builds suppress its warnings.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Every target that has no business with pointers: one that appears is a compile error.
let pure = strict + [.strictMemorySafety()]

let package = Package(
    name: "diffroom",
    // Where `Mutex` is. Diffable asks for less: Sources/Diffable/Package.swift.
    platforms: [
        .macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
    ],
    products: [
        .library(name: "Diffable", targets: ["Diffable"]),
        .library(name: "DiffableCompatibility", targets: ["DiffableCompatibility"]),
        .library(name: "DiffableViews", targets: ["DiffableViews"]),
        .library(name: "ChatClient", targets: ["ChatClient", "ChatWire", "Publishing", "Replicas"]),
        .executable(name: "diffroomd", targets: ["diffroomd"]),
        .executable(name: "diffroom", targets: ["diffroom"]),
        .executable(name: "diffroom-load", targets: ["diffroom-load"]),
    ],
    targets: [
        // MARK: - 0: C
        .systemLibrary(
            name: "CLibwebsockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CGetopt"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // No pkgConfig: SwiftPM warns about the flags that ncursesw's file has.
        .systemLibrary(name: "CCurses", providers: [.apt(["libncurses-dev"])]),
        .target(
            name: "CChatSocket",
            dependencies: ["CLibwebsockets", "COpenSSL"],
            cSettings: [
                .define("_GNU_SOURCE"), .headerSearchPath("."), .enableWarning("all"), .enableWarning("extra"),
            ],
            linkerSettings: [.linkedLibrary("uv")]
        ),

        .target(
            name: "CSignature",
            dependencies: ["COpenSSL"],
            cSettings: [.enableWarning("all"), .enableWarning("extra")]
        ),
        .target(
            name: "CStartup",
            cSettings: [.enableWarning("all"), .enableWarning("extra")]
        ),
        .target(
            name: "CGatheredLog",
            dependencies: ["CSQLite"],
            cSettings: [.enableWarning("all"), .enableWarning("extra")]
        ),

        // MARK: - 1: values; the standard library only
        .target(name: "Locking", swiftSettings: pure),
        // A package of its own as well, with these three targets.
        .target(
            name: "Diffable", exclude: ["Compatibility", "Package.swift", "README.md", "Views"], swiftSettings: pure),
        .target(
            name: "DiffableCompatibility", dependencies: ["Diffable"],
            path: "Sources/Diffable/Compatibility",
            swiftSettings: pure),
        .target(
            name: "DiffableViews", dependencies: ["Diffable"], path: "Sources/Diffable/Views",
            swiftSettings: pure),
        .target(name: "JSON", swiftSettings: pure),
        .target(name: "ChatWire", dependencies: ["JSON"], swiftSettings: pure),
        .target(name: "Replicas", dependencies: ["ChatWire", "JSON"], swiftSettings: pure),
        .target(name: "ChatRoom", dependencies: ["ChatWire"], swiftSettings: pure),
        .target(
            name: "RoomStore", dependencies: ["ChatRoom", "ChatWire", "Locking"], swiftSettings: pure),
        .target(
            name: "StoreEngine", dependencies: ["RoomStore", "ChatRoom", "ChatWire"], swiftSettings: pure),

        // MARK: - 2: machinery; thin shells over Dispatch and C
        .target(name: "Publishing", dependencies: ["Locking"], swiftSettings: pure),
        .target(
            name: "CommandLineFlags", dependencies: ["CGetopt", "CStartup", "JSON", "Locking"],
            swiftSettings: strict),
        .target(name: "WebSocketTransport", dependencies: ["CChatSocket"], swiftSettings: strict),
        .target(
            name: "SQLiteStore",
            dependencies: ["RoomStore", "StoreEngine", "ChatRoom", "ChatWire", "CGatheredLog", "CSQLite", "Locking"],
            swiftSettings: strict),
        .target(
            name: "PostgresStore",
            dependencies: ["RoomStore", "StoreEngine", "ChatRoom", "ChatWire", "CPostgres", "Locking"],
            swiftSettings: strict),
        .target(
            name: "Tokens", dependencies: ["ChatRoom", "ChatWire", "CSignature", "Locking", "JSON"],
            swiftSettings: strict),
        .target(
            name: "Files", dependencies: ["ChatWire", "HTTPClient", "JSON", "Locking", "Tokens"], swiftSettings: strict),
        .target(name: "HTTPClient", dependencies: ["CCurl", "Locking"], swiftSettings: strict),
        .target(name: "TerminalUI", dependencies: ["Diffable", "CCurses"], swiftSettings: strict),

        .target(name: "WebPage", swiftSettings: strict, plugins: ["BundlePage"]),
        .plugin(name: "BundlePage", capability: .buildTool()),

        // MARK: - 3: put together
        .target(
            name: "ChatServer",
            dependencies: [
                "ChatRoom", "ChatWire", "Files", "HTTPClient", "Locking", "Publishing", "RoomStore", "Tokens",
                "WebPage",
                "WebSocketTransport", "JSON",
            ],
            swiftSettings: pure
        ),
        .target(
            name: "ChatClient",
            dependencies: ["ChatWire", "Diffable", "Locking", "Publishing", "Replicas", "WebSocketTransport"],
            swiftSettings: pure
        ),

        // MARK: - 4: programs
        .executableTarget(
            name: "diffroomd",
            dependencies: [
                "ChatRoom", "ChatServer", "ChatWire", "CommandLineFlags", "Files", "PostgresStore", "RoomStore",
                "SQLiteStore", "StoreEngine", "Tokens", "WebSocketTransport",
            ],
            swiftSettings: pure
        ),
        .executableTarget(
            name: "diffroom",
            dependencies: [
                "ChatClient", "ChatRoom", "ChatWire", "CommandLineFlags", "Diffable", "HTTPClient", "JSON", "Locking",
                "Publishing", "Replicas", "TerminalUI", "Tokens", "WebSocketTransport",
            ],
            swiftSettings: pure),
        .executableTarget(
            name: "diffroom-load",
            dependencies: [
                "ChatClient", "ChatRoom", "ChatWire", "CommandLineFlags", "Locking", "Replicas", "Tokens",
                "WebSocketTransport",
            ],
            swiftSettings: pure),

        // MARK: - Examples
        .target(
            name: "ExampleTerminal", dependencies: ["Diffable"], path: "Examples/ExampleTerminal",
            swiftSettings: pure),
        .executableTarget(
            name: "example-playlist", dependencies: ["Diffable", "ExampleTerminal"],
            path: "Examples/Playlist",
            swiftSettings: pure),
        .executableTarget(
            name: "example-wifi", dependencies: ["Diffable", "ExampleTerminal"], path: "Examples/WiFi",
            swiftSettings: pure),
        .executableTarget(
            name: "example-mountains", dependencies: ["Diffable", "ExampleTerminal"],
            path: "Examples/Mountains",
            swiftSettings: pure),
        .executableTarget(
            name: "example-insertion-sort", dependencies: ["Diffable", "ExampleTerminal"],
            path: "Examples/InsertionSort", swiftSettings: pure),
        .executableTarget(
            name: "example-sections", dependencies: ["Diffable", "ExampleTerminal"],
            path: "Examples/Sections",
            swiftSettings: pure),

        .executableTarget(
            name: "example-heights", dependencies: ["Diffable", "ExampleTerminal"],
            path: "Examples/Heights",
            swiftSettings: pure),
        .executableTarget(
            name: "example-room", dependencies: ["Diffable", "ExampleTerminal"], path: "Examples/Room",
            swiftSettings: pure),

        // MARK: - Tests
        .systemLibrary(name: "CMalloc", path: "Tests/CMalloc"),
        .target(
            name: "CLeakCheck", dependencies: ["COpenSSL"], path: "Tests/CLeakCheck",
            cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .target(
            name: "TestSupport",
            dependencies: [
                "ChatRoom", "ChatWire", "CLeakCheck", "COpenSSL", "Locking", "Replicas", "RoomStore", "StoreEngine",
                "WebSocketTransport",
            ],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "DiffableTests",
            dependencies: [
                "CMalloc", "Diffable", "DiffableCompatibility", "TestSupport", "example-playlist",
                "example-wifi",
                "example-mountains", "example-insertion-sort", "example-sections", "example-heights",
                "example-room",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ChatWireTests", dependencies: ["ChatWire", "JSON", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ReplicasTests", dependencies: ["ChatWire", "Replicas", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ChatRoomTests", dependencies: ["ChatRoom", "ChatWire", "Replicas", "TestSupport"],
            swiftSettings: strict),
        .target(
            name: "Absences", dependencies: ["ChatRoom", "ChatWire", "Replicas", "RoomStore", "TestSupport"],
            path: "Tests/Absences",
            swiftSettings: pure),
        .testTarget(
            name: "RoomStoreTests",
            dependencies: [
                "Absences", "CMuteResolver", "RoomStore", "PostgresStore", "SQLiteStore", "ChatRoom", "ChatWire",
                "CPostgres", "CSQLite", "Locking", "TestSupport", "StoreFixture",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TokensTests", dependencies: ["Tokens", "ChatRoom", "ChatWire", "TestSupport"],
            exclude: ["Golden"],
            swiftSettings: strict),
        .testTarget(
            name: "FilesTests", dependencies: ["ChatWire", "Files", "HTTPClient", "TestSupport", "Tokens"],
            swiftSettings: strict),
        .target(
            name: "CMuteResolver", path: "Tests/CMuteResolver",
            cSettings: [.enableWarning("all"), .enableWarning("extra")]),
        .executableTarget(
            name: "StoreFixture",
            dependencies: ["RoomStore", "SQLiteStore", "ChatRoom", "ChatWire", "Locking", "TestSupport"],
            path: "Tests/StoreFixture",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: ["RoomStore", "SQLiteStore", "ChatRoom", "ChatWire", "TestSupport"],
            path: "Benchmarks/Store/StoreBenchmark",
            swiftSettings: strict
        ),
        .testTarget(
            name: "CommandLineFlagsTests", dependencies: ["CommandLineFlags", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "TerminalUITests", dependencies: ["TerminalUI", "CCurses", "Diffable", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "PublishingTests", dependencies: ["Locking", "Publishing", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: ["HTTPClient", "Locking", "TestSupport", "WebSocketTransport"],
            swiftSettings: strict
        ),
        .target(
            name: "CTransportInside", dependencies: ["CChatSocket", "CLibwebsockets", "COpenSSL"],
            path: "Tests/CTransportInside",
            cSettings: [
                .define("_GNU_SOURCE"), .headerSearchPath("../../Sources/CChatSocket"),
                .enableWarning("all"),
                .enableWarning("extra"),
            ]
        ),
        .testTarget(
            name: "WebSocketTransportTests",
            dependencies: [
                "WebSocketTransport", "CChatSocket", "COpenSSL", "CTransportInside", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ChatServerTests",
            dependencies: [
                "ChatServer", "ChatRoom", "ChatWire", "Files", "Locking", "PostgresStore", "Replicas", "RoomStore",
                "SQLiteStore", "TestSupport", "Tokens", "WebSocketTransport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ChatClientTests",
            dependencies: [
                "ChatClient", "ChatServer", "ChatWire", "Diffable", "Locking", "Publishing", "Replicas",
                "RoomStore", "TestSupport", "WebSocketTransport",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "Absences", "ChatClient", "ChatRoom", "ChatServer", "ChatWire", "Locking", "Replicas", "RoomStore",
                "SQLiteStore", "TestSupport", "Tokens", "WebSocketTransport",
            ],
            path: "Tests/Simulation",
            swiftSettings: pure),
        .testTarget(name: "SimulationTests", dependencies: ["Simulation", "TestSupport"], swiftSettings: pure),
        .testTarget(
            name: "DiffroomTests",
            dependencies: [
                "ChatClient", "ChatWire", "CommandLineFlags", "Diffable", "HTTPClient", "Replicas", "TerminalUI",
                "TestSupport", "Tokens", "diffroom",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DiffroomLoadTests",
            dependencies: [
                "diffroom-load", "ChatClient", "ChatWire", "CommandLineFlags", "WebSocketTransport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HostileTests", dependencies: ["ChatWire", "TestSupport", "WebSocketTransport", "diffroomd"],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ChatClient", "ChatWire", "CommandLineFlags", "Locking", "Publishing", "Replicas", "TestSupport",
                "WebSocketTransport", "diffroom", "diffroom-load", "diffroomd",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// DIFFROOM_TESTS names the only test targets that are wanted: what they do not need is not built, which takes half the
// time under a sanitizer.
if let wanted = Context.environment["DIFFROOM_TESTS"] {
    var needed: Set<String> = []
    var found = Set(wanted.split(separator: " ").map(String.init))
    while !found.isEmpty {
        needed.formUnion(found)
        let dependencies = package.targets.filter { found.contains($0.name) }.flatMap(\.dependencies)
        let names = dependencies.compactMap {
            if case .byNameItem(let name, _) = $0 { name } else { nil }
        }
        found = Set(names).subtracting(needed)
    }
    package.targets.removeAll { !needed.contains($0.name) && $0.type != .plugin }
    package.products = []
}

// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// The module of a room, a folder of `Sources/`: one that apps link has the name of its folder, any other has `Holdfast` before it.
///
/// The name of a module is taken for all packages of an app, and `JSON` and `Report` are names that others have too.
func module(_ room: String) -> String {
    let isNamedForApps = room.hasPrefix("Holdfast") || room.hasSuffix("Client") || room == "ClientDriver"
    let isOurs = isNamedForApps || room.hasPrefix("Test")
    return isOurs ? room : "Holdfast\(room.prefix(1).uppercased())\(room.dropFirst())"
}

func dependencies(_ rooms: [String]) -> [Target.Dependency] {
    rooms.map { .target(name: module($0)) }
}

/// A room: a target that imports the rooms named, and products of other packages.
///
/// One that embeds has the texts of its folder `Resources` as constants of `Resources`.
func room(
    _ name: String, _ rooms: [String] = [], _ products: [Target.Dependency] = [], embeds: Bool = false
) -> Target {
    .target(
        name: module(name), dependencies: dependencies(rooms) + products, path: "Sources/\(name)",
        exclude: embeds ? ["Resources"] : [], swiftSettings: settings, plugins: embeds ? ["EmbedFiles"] : [])
}

/// The tests of a room.
func tests(
    _ name: String, _ rooms: [String], _ products: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies(rooms) + products, exclude: exclude, swiftSettings: settings)
}

/// The commit of this checkout; empty in an archive without history.
let revision = Context.gitInformation?.currentCommit ?? ""
/// Where the files of the release lie that is built; empty for a build of one's own.
let release = Context.environment["HOLDFAST_RELEASE"] ?? ""

let package = Package(
    name: "holdfast",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .executable(name: "conformance", targets: ["Program"]),
        // The same without TLS, which takes a third of a first build: `conformance.sh` begins with it.
        .executable(name: "conformance-without-tls", targets: ["ProgramWithoutTLS"]),
        .library(name: "HoldfastMessages", targets: ["HoldfastMessages"]),
        .library(name: "ClientDriver", targets: ["ClientDriver"]),
        .library(name: "ReferenceClient", targets: ["ReferenceClient"]),
        .library(name: "HoldfastSuite", targets: ["HoldfastSuite"]),
        // For those who test over wss://: with it a build takes a third longer.
        .library(name: "HoldfastTLS", targets: ["HoldfastTLS"]),
        .library(
            name: "Holdfast",
            targets: ["Basics", "JSON", "JSONSchema", "Holdfast", "Transcript", "Captures", "Judge"].map(module)),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // The rooms, in their order: each imports only rooms that stand above it.
        room("CLibrary"),
        // What differs between systems, and between their ages: the rooms below import no C library.
        room("Platform", ["CLibrary"]),
        room("Basics", ["Platform"]),
        room("SmallFoundation"),
        room("JSON", ["Basics"]),
        .target(
            name: module("JSONSchema"), dependencies: dependencies(["Basics", "JSON"]), path: "Sources/JSONSchema",
            resources: [.embedInCode("Metaschemas")], swiftSettings: settings),
        .target(
            name: "Holdfast", dependencies: dependencies(["Basics", "Platform", "JSON", "JSONSchema"]),
            swiftSettings: settings, plugins: ["EmbedFiles"]),
        room("Transcript", ["Basics", "JSON", "Holdfast"]),
        room("Captures", ["Basics", "Platform", "JSON", "Holdfast", "Transcript"]),
        room("Judge", ["Basics", "JSON", "Holdfast", "Transcript"]),
        room("Report", ["Basics", "JSON", "Holdfast", "Transcript", "Judge"], embeds: true),
        // Two JSON Schemas compared, with witnesses; knows no protocol.
        room("SchemaDiff", ["JSON", "JSONSchema"]),
        room("Site", ["Basics", "JSON", "Holdfast"], embeds: true),
        room(
            "Transport", ["Basics", "Platform", "SmallFoundation"],
            [
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
            ]),
        // The only room with a TLS library and one for HTTP/2.
        room(
            "TLS", ["Transport"],
            [
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
            ]),
        // The messages as types for an app.
        room("HoldfastMessages", ["SmallFoundation"]),
        // What a team that tests its app links: the messages, and what is small of Foundation.
        room("ClientDriver", ["Platform", "SmallFoundation", "HoldfastMessages"]),
        room("Reference", ["Basics", "Platform", "JSON", "Holdfast", "Transport"]),
        room(
            "ReferenceClient",
            ["Basics", "Platform", "SmallFoundation", "JSON", "Holdfast", "Transport", "ClientDriver"]),
        room(
            "Stage",
            [
                "Basics", "Platform", "SmallFoundation", "JSON", "Holdfast", "Transcript", "Transport", "ClientDriver",
            ],
            [.product(name: "Subprocess", package: "swift-subprocess")]),
        // Stands between a client and a server: passes on, writes down, judges and breaks things on request.
        room(
            "Proxy",
            [
                "Basics", "Platform", "SmallFoundation", "JSON", "Holdfast", "Transcript", "Captures", "Judge",
                "Transport", "Stage",
            ]),
        // The reference server for people who develop a client, driven while it runs.
        room(
            "Mock", ["Basics", "Platform", "JSON", "Holdfast", "Transcript", "Transport", "Reference", "Proxy"],
            embeds: true),
        // Draws schedules, performs them in a world of its own time, and makes what breaks a clause small.
        room(
            "Explore",
            ["Basics", "JSON", "Holdfast", "Transcript", "Judge", "Reference", "ReferenceClient", "Stage"]),
        // The suites, the judging of captures, the kill matrix and the doctor: what the commands do, short of arguments.
        room(
            "HoldfastSuite",
            [
                "Basics", "Platform", "SmallFoundation", "JSON", "JSONSchema", "Holdfast", "Transcript", "Captures",
                "Judge", "Transport", "Stage", "Proxy", "Reference", "ClientDriver", "ReferenceClient", "Report",
                "Explore",
            ]),
        // Two versions of the protocol compared: what breaks whom.
        room(
            "Gate",
            [
                "Platform", "Basics", "SmallFoundation", "JSON", "SchemaDiff", "Holdfast", "Transcript", "Judge",
                "Report",
                "Stage", "HoldfastSuite",
            ]),
        // The protocol and this program in words, for a terminal: clauses, messages, terms, codes and commands, by name.
        room(
            "Explain",
            [
                "Basics", "JSON", "Holdfast", "Transcript", "Judge", "Reference", "ReferenceClient", "Report",
                "HoldfastSuite",
            ]),
        // In C, because only there a build can hand a text to the program.
        .target(
            name: "Revision",
            cSettings: [
                .define("HOLDFAST_REVISION", to: "\"\(revision)\""),
                .define("HOLDFAST_RELEASE", to: "\"\(release)\""),
            ]),
        .target(
            name: module("conformance"),
            dependencies: dependencies([
                "Basics", "Platform", "SmallFoundation", "JSON", "JSONSchema", "Holdfast", "Transcript",
                "Captures", "Transport", "Stage", "Proxy", "Reference", "ClientDriver", "ReferenceClient",
                "Report", "Gate", "Site", "Mock", "HoldfastSuite", "Explain",
            ]) + ["Revision", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Sources/conformance", swiftSettings: settings, plugins: ["EmbedFiles"]),
        .executableTarget(
            name: "Program", dependencies: dependencies(["conformance", "TLS"]), swiftSettings: settings),
        .executableTarget(
            name: "ProgramWithoutTLS", dependencies: dependencies(["conformance"]), swiftSettings: settings),

        // Measures; see CONTRIBUTING.md.
        .executableTarget(
            name: "Benchmark",
            dependencies: dependencies([
                "Platform", "JSON", "JSONSchema", "Holdfast", "Transcript", "Captures", "Judge", "Proxy", "Transport",
            ]),
            swiftSettings: settings),

        // Turns the files of Spec/, the pages, and the resources of rooms into Swift sources, so that the binary carries them.
        .executableTarget(name: "FileEmbedder", swiftSettings: settings),
        .plugin(
            name: "EmbedFiles", capability: .buildTool(), dependencies: ["FileEmbedder"], path: "Sources/EmbedFiles"),

        // Linked with the tests, it bounds how many of them run at a time.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        .target(
            name: "TestSupport",
            dependencies: dependencies(["TestWidth", "Judge", "Transcript", "Holdfast", "Transport"]) + [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            path: "Tests/TestSupport", swiftSettings: settings),
        tests("HoldfastMessagesTests", ["HoldfastMessages", "Holdfast", "JSON", "TestSupport"]),
        tests("ClientDriverTests", ["ClientDriver"]),
        tests("BasicsTests", ["Basics"]),
        tests("PlatformTests", ["Platform"]),
        tests("JSONTests", ["JSON"]),
        tests("JSONSchemaTests", ["JSON", "JSONSchema"]),
        tests("HoldfastTests", ["Holdfast", "Judge", "JSON", "JSONSchema", "TestSupport"], exclude: ["Goldens"]),
        tests("TranscriptTests", ["Transcript", "Holdfast", "JSON", "TestSupport"]),
        tests("CapturesTests", ["Basics", "Captures", "Judge", "Transcript", "Holdfast", "TestSupport"]),
        tests("JudgeTests", ["Judge", "Transcript", "Holdfast", "JSON", "TestSupport"]),
        tests("TransportTests", ["Basics", "Platform", "Transport", "TLS", "TestSupport"]),
        tests(
            "StageTests",
            [
                "Basics", "Captures", "Explore", "Stage", "Proxy", "Mock", "Platform", "ClientDriver", "Reference",
                "Transport",
                "TLS", "Judge", "Transcript", "Holdfast", "JSON", "JSONSchema", "TestSupport",
            ]),
        tests(
            "ExploreTests",
            [
                "Explore", "Reference", "ReferenceClient", "Report", "Judge", "Transcript", "Holdfast", "JSON",
                "TestSupport",
            ],
            exclude: ["Corpus", "Goldens"]),
        tests(
            "ReferenceTests",
            ["Basics", "Reference", "Transport", "Holdfast", "JSON", "JSONSchema", "TestSupport"]),
        tests(
            "ReferenceClientTests",
            [
                "ReferenceClient", "Reference", "ClientDriver", "Transport", "Basics", "Platform", "Holdfast", "JSON",
                "TestSupport",
            ]),
        tests(
            "ReportTests",
            ["Basics", "Report", "Judge", "Transcript", "Holdfast", "JSON", "JSONSchema", "TestSupport"]),
        tests(
            "GateTests",
            [
                "Basics", "Platform", "SchemaDiff", "Gate", "Report", "Transcript", "Holdfast", "JSON", "JSONSchema",
                "TestSupport",
            ]),
        tests("SiteTests", ["Site", "Holdfast", "TestSupport"]),
        // What a Swift team does with the product; one file of it is that of Tests/Examples/swift-suite.
        tests(
            "SuiteTests",
            [
                "HoldfastSuite", "ReferenceClient", "TestSupport", "Holdfast", "Platform", "Stage",
                "Transcript", "Captures", "JSON", "Report", "Judge", "Proxy",
            ], ["Program"]),
        tests(
            "CommandTests",
            [
                "conformance", "Explain", "HoldfastSuite", "Report", "Site", "TestSupport", "Platform", "Transport",
                "Holdfast", "JSON", "JSONSchema",
            ],
            ["Program", "ProgramWithoutTLS", .product(name: "Subprocess", package: "swift-subprocess")]),
    ],
    swiftLanguageModes: [.v6]
)

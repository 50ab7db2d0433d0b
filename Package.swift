// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "holdfast",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "conformance", targets: ["conformance"]),
        .library(name: "ClientDriver", targets: ["ClientDriver"]),
        .library(name: "ReferenceClient", targets: ["ReferenceClient"]),
        .library(name: "Holdfast", targets: ["JSON", "JSONSchema", "Holdfast", "Transcript", "Judge"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        .target(name: "JSON", swiftSettings: settings),
        .target(name: "JSONSchema", dependencies: ["JSON"], swiftSettings: settings),

        // What a team that tests its app links: no dependency, not even on the targets below.
        .target(name: "ClientDriver", swiftSettings: settings),

        // Draws the address that a phone is to open.
        .target(name: "QRCode", swiftSettings: settings),
        .target(
            name: "Holdfast",
            dependencies: ["JSON", "JSONSchema"],
            swiftSettings: settings,
            plugins: ["EmbedSpecification"]
        ),
        .target(name: "Transcript", dependencies: ["Holdfast", "JSON"], swiftSettings: settings),
        .target(
            name: "Judge", dependencies: ["Transcript", "Holdfast", "JSON", "JSONSchema"], swiftSettings: settings),
        .target(
            name: "Transport",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Stage",
            dependencies: [
                "Judge", "Transcript", "Holdfast", "JSON", "JSONSchema", "Transport", "ClientDriver",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Reference", dependencies: ["Holdfast", "JSON", "JSONSchema", "Transport"], swiftSettings: settings),
        .target(
            name: "ReferenceClient",
            dependencies: ["JSON", "Holdfast", "Transport", "ClientDriver"],
            swiftSettings: settings
        ),
        .target(
            name: "Gate",
            dependencies: ["Report", "Judge", "Transcript", "Holdfast", "JSON", "JSONSchema"],
            swiftSettings: settings
        ),
        .target(name: "Report", dependencies: ["Judge", "Transcript", "Holdfast", "JSON"], swiftSettings: settings),
        // The specification as HTML.
        .target(name: "Site", dependencies: ["Holdfast", "JSON"], swiftSettings: settings),
        .executableTarget(
            name: "conformance",
            dependencies: [
                "JSON", "JSONSchema", "Holdfast", "Transcript", "Judge", "Transport", "Stage", "Reference",
                "ClientDriver", "ReferenceClient", "Report", "Gate", "QRCode", "Site",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),

        // Measures JSON and JSONSchema; see CONTRIBUTING.md.
        .executableTarget(
            name: "Benchmark",
            dependencies: ["JSON", "JSONSchema", "Holdfast", "Judge", "Transcript", "Stage", "Transport"],
            swiftSettings: settings),

        // Turns the files of Spec/ into a Swift source, so that the binary carries its specification.
        .executableTarget(name: "SpecificationEmbedder", swiftSettings: settings),
        .plugin(
            name: "EmbedSpecification",
            capability: .buildTool(),
            dependencies: ["SpecificationEmbedder"],
            path: "Sources/EmbedSpecification"
        ),

        // Linked with the tests, it bounds how many of them run at a time.
        .target(name: "TestWidth", path: "Tests/TestWidth"),
        .target(
            name: "TestSupport",
            dependencies: [
                "TestWidth", "Judge", "Transcript", "Holdfast", "JSON",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .testTarget(name: "ClientDriverTests", dependencies: ["ClientDriver"], swiftSettings: settings),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"], swiftSettings: settings),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: settings),
        .testTarget(name: "JSONSchemaTests", dependencies: ["JSON", "JSONSchema"], swiftSettings: settings),
        .testTarget(
            name: "HoldfastTests",
            dependencies: ["Holdfast", "Judge", "JSON", "JSONSchema", "TestSupport"],
            exclude: ["Goldens"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TranscriptTests",
            dependencies: ["Transcript", "Holdfast", "JSON", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "JudgeTests",
            dependencies: ["Judge", "Transcript", "Holdfast", "JSON", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(name: "TransportTests", dependencies: ["Transport"], swiftSettings: settings),
        .testTarget(
            name: "StageTests",
            dependencies: [
                "Stage", "ClientDriver", "Reference", "Transport", "Judge", "Transcript", "Holdfast", "JSON",
                "JSONSchema",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReferenceTests",
            dependencies: [
                "Reference", "Stage", "Transport", "Judge", "Transcript", "Holdfast", "JSON", "JSONSchema",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReferenceClientTests",
            dependencies: ["ReferenceClient", "Reference", "ClientDriver", "Holdfast", "JSON"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReportTests",
            dependencies: ["Report", "Judge", "Transcript", "Holdfast", "JSON", "JSONSchema", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GateTests",
            dependencies: [
                "Gate", "Report", "Judge", "Transcript", "Holdfast", "JSON", "JSONSchema", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SiteTests", dependencies: ["Site", "Holdfast", "JSON", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "conformance", "Site", "TestSupport", "Transport", "Holdfast", "JSON", "JSONSchema",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

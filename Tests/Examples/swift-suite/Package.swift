// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "swift-suite",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "holdfast", path: "../../..")],
    targets: [
        .testTarget(
            name: "ConformanceTests", dependencies: [.product(name: "HoldfastSuite", package: "holdfast")])
    ]
)

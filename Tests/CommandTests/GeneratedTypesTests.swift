import Foundation
import HoldfastJSON
import TestSupport
import Testing

/// What a team makes of `Spec/bundle` with the generators of its language.
@Suite(
    .enabled(
        if: ExamplePython.has("datamodel_code_generator", "pydantic"),
        "needs HOLDFAST_GENERATORS=1 Tests/Examples/python/setup.sh"))
struct PydanticTypesTests {
    @Test func `every valid message survives pydantic`() async throws {
        let folder = try TemporaryDirectory()
        let made = try await ExamplePython.run([
            "-m", "datamodel_code_generator", "--input", "\(SourceTree.root)/Spec/bundle/messages.json",
            "--input-file-type", "jsonschema", "--output-model-type", "pydantic_v2.BaseModel", "--extra-fields",
            "allow",
            "--output", "\(folder.path)/holdfast_types.py",
        ])
        try #require(made.status == 0, "\(made.output)")
        let run = try await ExamplePython.run([
            "\(SourceTree.root)/Tests/Examples/types/round_trip.py", folder.path, "\(SourceTree.root)/Fixtures",
        ])
        #expect(run.status == 0 && run.output.contains(" messages, none lost"), "\(run.output)")
    }
}

/// The three generators at once: most of the time goes into starting the one program that has them.
@Suite(
    .enabled("needs HOLDFAST_GENERATORS=1 Tests/Examples/python/setup.sh, and Java where that has none") {
        await GeneratedClients.canBeMade
    })
struct OpenAPIGeneratorTests {
    @Test func `the Swift types are sound`() async throws {
        let clients = try await GeneratedClients.shared.value
        #expect(try clients.text("MessageContent.swift").contains("case typeArrayOfContentPart([ContentPart])"))
        #expect(try clients.text("SyncResultFrame.swift").contains("public var missed: [ReplayedFrame]"))
        #expect(try clients.text("ReplayedFrame.swift").contains("case typeUnknownFrame(UnknownFrame)"))
        #expect(try clients.text("ErrorFrame.swift").contains("public var code: String?"))
        #expect(try clients.text("DoneFrame.swift").contains("public var seq: Int64?"))
        let sources = clients.files(below: "swift6/Sources", ".swift")
        try #require(sources.count > 40)
        let check = try await ExampleTool.run("swiftc", ["-typecheck", "-swift-version", "6"] + sources)
        #expect(check.status == 0, "\(check.output)")
    }

    @Test func `the Kotlin types keep content and replayed frames`() async throws {
        let clients = try await GeneratedClients.shared.value
        let content = try clients.text("MessageContent.kt")
        #expect(content.contains("class StringValue(val value: kotlin.String) : MessageContent"))
        #expect(content.contains("ListContentPartValue(val value: kotlin.collections.List<ContentPart>)"))
        let replayed = try clients.text("ReplayedFrame.kt")
        for frame in ["MessageFrame", "ToolUseFrame", "DoneFrame", "ErrorFrame", "UnknownFrame"] {
            #expect(replayed.contains("class \(frame)Value(val value: \(frame)) : ReplayedFrame"), "\(frame)")
        }
        #expect(try clients.text("SyncResultFrame.kt").contains("val missed: kotlin.collections.List<ReplayedFrame>"))
        #expect(try clients.text("ErrorFrame.kt").contains("val code: kotlin.String?"))
        #expect(try clients.text("DoneFrame.kt").contains("val seq: kotlin.Long?"))
        // Classes that are maps at once do not compile.
        for file in clients.files(below: "kotlin", ".kt") {
            #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("HashMap<"), "\(file)")
        }
    }

    @Test func `the TypeScript types keep content and replayed frames`() async throws {
        let clients = try await GeneratedClients.shared.value
        #expect(
            try clients.text("MessageContent.ts").contains("export type MessageContent = Array<ContentPart> | string"))
        #expect(try clients.text("SyncResultFrame.ts").contains("missed: Array<ReplayedFrame>"))
        let frames = "DoneFrame | ErrorFrame | MessageFrame | ToolUseFrame | UnknownFrame"
        #expect(try clients.text("ReplayedFrame.ts").contains("export type ReplayedFrame = \(frames)"))
        #expect(try clients.text("ErrorFrame.ts").contains("code?: string"))
    }

    @Test(
        .enabled("needs tsc and node") { await ExampleTool.has("tsc", "node") }
    ) func `every valid message survives TypeScript`() async throws {
        let clients = try await GeneratedClients.shared.value
        let folder = "\(clients.folder.path)/typescript-fetch"
        let compiled = try await ExampleTool.run(
            "tsc",
            ["--outDir", "\(folder)/js", "--module", "commonjs", "--target", "es2020", "--lib", "es2020,dom"]
                + ["\(folder)/models/index.ts"])
        try #require(compiled.status == 0, "\(compiled.output)")
        let run = try await ExampleTool.run(
            "node",
            ["\(SourceTree.root)/Tests/Examples/types/round_trip.js", "\(folder)/js", "\(SourceTree.root)/Fixtures"])
        #expect(run.status == 0 && run.output.contains(" messages, none lost"), "\(run.output)")
    }
}

/// What openapi-generator makes of the bundle, for three languages.
private struct GeneratedClients: Sendable {
    let folder: TemporaryDirectory

    static let shared = Task { try await GeneratedClients() }

    /// Whether the generator starts.
    static var canBeMade: Bool {
        get async {
            guard ExamplePython.has("openapi_generator_cli") else { return false }
            return (try? await generator(["version"]))?.status == 0
        }
    }

    private static func generator(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        // The wrapper ends with 0 whatever the generator says.
        let start = "import sys, openapi_generator_cli as g; sys.exit(g.run(sys.argv[1:]).returncode)"
        return try await ExamplePython.run(["-c", start] + arguments)
    }

    private init() async throws {
        folder = try TemporaryDirectory()
        let bundle = "\(SourceTree.root)/Spec/bundle/openapi.json"
        // Where a generator can keep members that it does not know it has to be told to. That of Kotlin cannot.
        var open = try JSONParser.value(String(contentsOfFile: bundle, encoding: .utf8))
        for (name, schema) in open["components"]?["schemas"]?.objectValue ?? [:] where schema["type"] == "object" {
            open["components"]?["schemas"]?[name]?["additionalProperties"] = true
        }
        try folder.write(open.text(), to: "open.json")
        let options: [(generator: String, input: String, options: JSONValue)] = [
            ("swift6", "\(folder.path)/open.json", [:]),
            ("typescript-fetch", "\(folder.path)/open.json", [:]),
            (
                "kotlin", bundle,
                [
                    "library": "jvm-retrofit2", "serializationLibrary": "kotlinx_serialization",
                    "generateOneOfAnyOfWrappers": true,
                ]
            ),
        ]
        for (generator, input, options) in options {
            let configuration: JSONValue = [
                "generatorName": .string(generator), "inputSpec": .string(input),
                "outputDir": .string("\(folder.path)/\(generator)"), "additionalProperties": options,
            ]
            try folder.write(configuration.text(), to: "\(generator).json")
        }
        let made = try await Self.generator(["batch"] + options.map { "\(folder.path)/\($0.generator).json" })
        try #require(made.status == 0, "\(made.output)")
    }

    /// The source files below a folder that a generator made.
    func files(below place: String, _ suffix: String) -> [String] {
        let root = "\(folder.path)/\(place)"
        let found = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return found.map { "\(root)/\($0)" }.filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The text of the one type of that name, told by its suffix.
    func text(_ name: String) throws -> String {
        let places = ["swift": "swift6/Sources", "kt": "kotlin/src/main", "ts": "typescript-fetch/models"]
        let place = try #require(name.split(separator: ".").last.flatMap { places[String($0)] })
        let file = try #require(files(below: place, "/\(name)").first, "\(name)")
        return try String(contentsOfFile: file, encoding: .utf8)
    }
}

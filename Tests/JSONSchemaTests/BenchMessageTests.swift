import Foundation
import HoldfastJSON
import HoldfastJSONSchema
import Testing

extension Suites {
    /// The folder named by the environment variable HOLDFAST_BENCH, else `shared/bench` beside the package.
    static let bench: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folders = [
            ProcessInfo.processInfo.environment["HOLDFAST_BENCH"].map { URL(filePath: $0) },
            package.deletingLastPathComponent().appending(path: "shared/bench"),
        ]
        return folders.compactMap(\.self).first {
            FileManager.default.fileExists(atPath: $0.appending(path: "schema-2020.json").path)
        }
    }()
}

@Suite(.enabled(if: Suites.bench != nil, "the bench folder is absent; name it in HOLDFAST_BENCH"))
struct `Bench messages` {
    static func bytes(_ path: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: try #require(Suites.bench).appending(path: path)))
    }

    static func schema() throws -> Schema {
        try Schema(JSONParser.value(bytes: bytes("schema-2020.json")))
    }

    @Test(arguments: ["chat", "done", "toolUse", "error", "sync", "syncResult", "rateLimit", "push"])
    func `a valid message is valid, as bytes and as a value`(_ name: String) throws {
        let schema = try Self.schema()
        let bytes = try Self.bytes("messages/\(name).json")
        #expect(schema.isValid(bytes: bytes))
        #expect(schema.violations(in: try JSONParser.value(bytes: bytes)).isEmpty)
    }

    /// Each invalid message with the one place that is wrong, and words of its finding.
    static let invalid: [(file: String, pointer: String, words: String)] = [
        ("chat-empty-text", "/text", "it is empty"),
        ("done-bad-enum", "/stopReason", "'because' is not one of the allowed values"),
        ("error-extra", "/surprise", "'surprise' is not a known property"),
        ("missing-type", "", "missing 'type'"),
        ("rate-ts", "/resetAt", "'2026-02-30T25:00:00Z' is not a date-time"),
        ("sync-limit", "/limit", "501 is too large"),
        ("syncResult-deep", "/messages/73", "missing 'role'"),
        ("tool-bad-key", "/input/bad key", "the name 'bad key' is not allowed"),
        ("unknown-type", "/type", "'pushy' is not a known value; did you mean 'push'?"),
    ]

    @Test(arguments: invalid)
    func `an invalid message has one finding, with its place in value and text`(
        _ file: String, _ pointer: String, _ words: String
    ) throws {
        let schema = try Self.schema()
        let bytes = try Self.bytes("invalid/\(file).json")
        #expect(!schema.isValid(bytes: bytes))
        let violations = schema.violations(in: try JSONParser.value(bytes: bytes))
        #expect(violations.count == 1)
        let violation = try #require(violations.first)
        #expect(violation.instanceLocation.description == pointer)
        #expect(violation.message.hasPrefix(words))
        let location = try #require(JSONParser.location(of: violation.instanceLocation, in: bytes))
        #expect(location.line == 1)
        // What stands there is the value, or the object that misses something.
        let expected = try #require(try JSONParser.value(bytes: bytes)[violation.instanceLocation])
        #expect(
            String(decoding: bytes[location.byteOffset...], as: UTF8.self).hasPrefix(String(expected.text().prefix(20)))
        )
    }

    @Test func `a misspelled property names the nearest one that is known`() throws {
        let schema = try Self.schema()
        var message = try JSONParser.value(bytes: Self.bytes("messages/error.json"))
        message["retriable"] = message["retryable"]
        message["retryable"] = nil
        let violations = schema.violations(in: message)
        #expect(violations.map(\.instanceLocation.description) == ["/retriable"])
        #expect(violations.first?.message.hasSuffix("did you mean 'retryable'?") == true)
    }
}

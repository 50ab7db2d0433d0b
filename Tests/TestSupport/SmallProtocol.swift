import Foundation
import Holdfast

/// A protocol of two messages and a clause or two in each area, as files: small enough to be edited in a test.
public struct SmallProtocol: Sendable {
    /// Its files by their path from the root.
    public var files: [String: String] = [:]

    /// The protocol in version 1.0, whole and in order.
    public init() {
        files["Spec/version.json"] = #"{ "specification": "1.0", "protocol": 1 }"#
        files["CHANGELOG.md"] = "# Changelog\n\n## 1.0\n\nFirst version.\n"
        for area in Area.allCases {
            let side = area == .CLIENT ? "client · client-core" : "server · core"
            files["Spec/clauses/\(area.rawValue).md"] = """
                # \(area.rawValue)

                ### \(area.rawValue)-1 · \(side)
                A \(area == .CLIENT ? "client" : "server") MUST keep the first promise of \(area.rawValue) at any time.
                Why: it is the first.
                Judged from: what is seen.
                From: R1. Since: 1.0.

                """
        }
        files["Spec/clauses/ORDER.md"]? += """
            ### ORDER-3 · server · sync
            A server MUST send the numbers of the stream in strictly rising order on each connection.
            Why: a client keeps one place.
            Judged from: each frame with a number.
            From: R2. Since: 1.0.

            """
        files["Spec/clauses/RATE.md"]? += """
            ### RATE-2 · server · rate-limit
            A server SHOULD answer within 30 s, and hold back at least 10 frames.
            Why: people wait.
            Judged from: the clock.
            From: R3. Since: 1.0.

            """
        files["Spec/chapters/05-messages.md"] = """
            # 5. Messages

            | code | means | over REST |
            |---|---|---|
            | `busy` | a turn runs | 409 |
            | `too_large` | too many bytes | 413 |

            | name | value | from – to |
            |---|---|---|
            | `pong` | 5 s | ping – pong |

            """
        files["Spec/schemas/messages/done.json"] = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "$id": "https://holdfast.example/spec/1/schemas/messages/done.json",
              "title": "Done",
              "x-direction": "server",
              "type": "object",
              "required": ["type", "text"],
              "properties": {
                "type": { "const": "done" },
                "text": { "type": "string" },
                "sessionId": { "type": "string" },
                "seq": { "type": "integer" }
              }
            }

            """
        files["Spec/schemas/messages/chat.json"] = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "$id": "https://holdfast.example/spec/1/schemas/messages/chat.json",
              "title": "Chat",
              "x-direction": "client",
              "type": "object",
              "required": ["type"],
              "properties": {
                "type": { "const": "chat" },
                "mood": { "enum": ["calm", "cross"] }
              }
            }

            """
        files["Spec/openapi.json"] = """
            { "openapi": "3.1.0", "paths": {
              "/api/health": { "get": { "responses": { "200": {} } } },
              "/api/sessions": { "get": { "responses": { "200": {}, "401": {} } } }
            } }

            """
        files["Spec/scenarios/server/ORDER/plain.json"] = """
            { "title": "Plain", "role": "server", "clauses": ["ORDER-3"],
              "steps": [ { "do": "connect", "on": "A" }, { "do": "await", "on": "A", "type": "done", "within": "turn" } ] }

            """
        add(message: "done/valid/plain", #"{"type":"done","text":"Hi.","sessionId":"s1"}"#)
        add(message: "done/invalid/no-text", #"{"type":"done","sessionId":"s1"}"#)
        add(message: "chat/valid/calm", #"{"type":"chat","mood":"calm"}"#)
        add(message: "chat/invalid/glad", #"{"type":"chat","mood":"glad"}"#)
        index()
    }

    /// Puts another text in place of a part of a file.
    /// - Returns: Whether the part was there.
    @discardableResult
    public mutating func replace(_ part: String, by other: String, in file: String) -> Bool {
        guard let text = files[file], text.contains(part) else { return false }
        files[file] = text.replacing(part, with: other)
        return true
    }

    /// Gives the specification a version, and the changelog an entry for it.
    public mutating func release(_ version: String, saying words: String) {
        let major = version.split(separator: ".").first.map(String.init) ?? version
        files["Spec/version.json"] = #"{ "specification": "\#(version)", "protocol": \#(major) }"#
        files["CHANGELOG.md"] = "# Changelog\n\n## \(version)\n\n\(words)\n\n## 1.0\n\nFirst version.\n"
    }

    /// Adds a golden message, such as `done/valid/plain`.
    public mutating func add(message name: String, _ text: String) {
        files["Fixtures/messages/\(name).json"] = text
        index()
    }

    /// Adds a golden transcript with the verdicts that are expected of it.
    public mutating func add(transcript name: String, _ text: String, expected: [String: String]) {
        files["Fixtures/transcripts/\(name).ndjson"] = text
        transcripts[name] = expected
        index()
    }

    /// Takes a fixture away, also out of the index.
    public mutating func remove(fixture path: String) {
        files["Fixtures/\(path)"] = nil
        index()
    }

    /// Writes everything into a folder.
    public func write(to folder: String) throws {
        for (path, text) in files {
            let file = URL(fileURLWithPath: folder).appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    private var transcripts: [String: [String: String]] = [:]

    private mutating func index() {
        let messages = files.keys.filter { $0.hasPrefix("Fixtures/messages/") }.sorted().map { path in
            let parts = path.split(separator: "/")
            return #"{"file":"\#(path.dropFirst("Fixtures/".count))","type":"\#(parts[2])","#
                + #""schema":"messages/\#(parts[2]).json","verdict":"\#(parts[3])","why":"so"}"#
        }
        let golden = transcripts.keys.sorted().map { name in
            let expected = (transcripts[name] ?? [:]).sorted { $0.key < $1.key }.map { #""\#($0.key)":"\#($0.value)""# }
            return #"{"file":"transcripts/\#(name).ndjson","notation":"-","profiles":["core"],"#
                + #""expected":{\#(expected.joined(separator: ","))},"why":"so"}"#
        }
        files["Fixtures/index.json"] =
            "{\n\"format\":1,\n\"specification\":\"1.0\",\n\"messages\":[\n" + messages.joined(separator: ",\n")
            + "\n],\n\"transcripts\":[\n" + golden.joined(separator: ",\n") + "\n]\n}\n"
    }
}

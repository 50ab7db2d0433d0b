import Foundation
import HoldfastJSON
import HoldfastJSONSchema

struct Corpus {
    let name: String
    let schema: JSONValue
    let sets: [(name: String, messages: [[UInt8]])]
    /// Its folder, which peers read too; nil for the built-in one.
    var folder: String?

    /// The folder named by HOLDFAST_BENCH, or `shared/bench` next to the package, or the built-in corpus.
    static func load() throws -> Corpus {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folders = [
            ProcessInfo.processInfo.environment["HOLDFAST_BENCH"].map { URL(filePath: $0) },
            package.deletingLastPathComponent().appending(path: "shared/bench"),
        ]
        for folder in folders.compactMap(\.self)
        where FileManager.default.fileExists(atPath: folder.appending(path: "schema-2020.json").path) {
            return try Corpus(folder: folder)
        }
        return builtIn
    }

    private init(folder: URL) throws {
        func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: folder.appending(path: path))) }
        let small = ["chat", "done", "toolUse", "error", "sync", "rateLimit", "push"]
        name = folder.path
        self.folder = folder.path
        schema = try JSONParser.value(bytes: bytes("schema-2020.json"))
        sets = [
            ("small", try small.map { try bytes("messages/\($0).json") }),
            ("syncResult", [try bytes("messages/syncResult.json")]),
        ]
    }

    private init(name: String, schema: JSONValue, sets: [(name: String, messages: [[UInt8]])]) {
        (self.name, self.schema, self.sets) = (name, schema, sets)
    }

    /// Two messages that share an envelope, for machines without another corpus.
    static var builtIn: Corpus {
        let id: JSONValue = ["type": "string", "format": "uuid"]
        let schema: JSONValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "oneOf": [["$ref": "#/$defs/chat"], ["$ref": "#/$defs/history"]],
            "$defs": [
                "envelope": [
                    "type": "object", "required": ["id", "at"],
                    "properties": ["id": id, "at": ["type": "string", "format": "date-time"]],
                ],
                "chat": [
                    "allOf": [["$ref": "#/$defs/envelope"]], "required": ["type", "text"],
                    "properties": ["type": ["const": "chat"], "text": ["type": "string", "maxLength": 4096]],
                    "unevaluatedProperties": false,
                ],
                "history": [
                    "allOf": [["$ref": "#/$defs/envelope"]], "required": ["type", "messages"],
                    "properties": [
                        "type": ["const": "history"],
                        "messages": ["type": "array", "items": ["$ref": "#/$defs/chat"]],
                    ],
                    "unevaluatedProperties": false,
                ],
            ],
        ]
        let head = #""id":"6513270e-269e-4d37-a2a7-4de452e6b438","at":"2026-01-03T17:06:23.596Z""#
        let text = String(repeating: "the agent ran its tests in the café; ", count: 5)
        let chat = #"{"type":"chat",\#(head),"text":"\#(text)"}"#
        let history =
            #"{"type":"history",\#(head),"messages":[\#(repeatElement(chat, count: 100).joined(separator: ","))]}"#
        return Corpus(
            name: "built in", schema: schema,
            sets: [("small", [Array(chat.utf8)]), ("history", [Array(history.utf8)])])
    }
}

import Foundation
import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastMessages

/// What an app reads and writes again, is what it read.
@Suite struct RoundTripTests {
    /// A type for each name of `Fixtures/index.json`; the headers of a push are no body.
    private static let types: [String: any MessageObject.Type] = [
        "auth": AuthFrame.self, "chat": ChatFrame.self, "sync": SyncFrame.self, "ping": PingFrame.self,
        "connected": ConnectedFrame.self, "ack": AckFrame.self, "message": MessageFrame.self,
        "toolUse": ToolUseFrame.self, "done": DoneFrame.self, "error": ErrorFrame.self, "rateLimit": ErrorFrame.self,
        "syncResult": SyncResultFrame.self, "pong": PongFrame.self, "chatRequest": ChatRequest.self,
        "chatResponse": ChatResponse.self, "restError": RestError.self, "health": Health.self,
        "session": SessionResponse.self, "sessionList": SessionList.self, "push": PushPayload.self,
    ]

    private struct Fixture {
        let file: String
        let type: String
        let isValid: Bool
        let data: Data
    }

    private func fixtures() throws -> [Fixture] {
        let index = try JSONParser.value(SourceTree.text("Fixtures/index.json"))
        return try #require(index["messages"]?.arrayValue).compactMap { entry in
            let file = try #require(entry["file"]?.stringValue)
            let type = try #require(entry["type"]?.stringValue)
            guard type != "pushHeaders" else { return nil }
            return Fixture(
                file: file, type: type, isValid: entry["verdict"] == "valid",
                data: try Data(contentsOf: URL(fileURLWithPath: "\(SourceTree.root)/Fixtures/\(file)")))
        }
    }

    private func again<Value: Codable>(_ type: Value.Type, _ data: Data) throws -> Data {
        try JSONEncoder().encode(JSONDecoder().decode(type, from: data))
    }

    private func value(_ data: Data) throws -> JSONValue { try JSONParser.document(bytes: Array(data)).root }

    @Test func `every valid fixture comes back without loss`() throws {
        let valid = try fixtures().filter(\.isValid)
        #expect(valid.count > 150)
        for fixture in valid {
            let type = try #require(Self.types[fixture.type], "\(fixture.type)")
            do {
                let before = try value(fixture.data)
                #expect(try value(again(type, fixture.data)) == before, "\(fixture.file)")
                guard fixture.file.hasPrefix("messages/") else { continue }
                let isClient = ["auth", "chat", "sync", "ping"].contains(fixture.type)
                let frame = try isClient ? again(ClientFrame.self, fixture.data) : again(ServerFrame.self, fixture.data)
                #expect(try value(frame) == before, "\(fixture.file)")
            } catch {
                Issue.record("\(fixture.file): \(error)")
            }
        }
    }

    @Test func `members of the wrong type are told`() throws {
        let names = ["text-missing", "number-as-text", "session-id-null", "content-a-number", "role-unknown"]
        for fixture in try fixtures() where names.contains(where: { fixture.file.hasSuffix("/invalid/\($0).json") }) {
            let type = try #require(Self.types[fixture.type])
            #expect(throws: DecodingError.self, "\(fixture.file)") { _ = try again(type, fixture.data) }
        }
    }

    @Test func `a frame of an unknown type is kept, in a replay too`() throws {
        let mood = #"{"type":"mood","seq":9007199254740991,"how":{"much":[1,2.5,null,true]}}"#
        let frame = try JSONDecoder().decode(ServerFrame.self, from: Data(mood.utf8))
        guard case .unknown(let type, let members) = frame else { throw SomethingElse(frame: frame) }
        #expect(type == "mood")
        #expect(members["seq"] == .integer(9_007_199_254_740_991))
        #expect(members["how"] == .object(["much": .array([.integer(1), .number(2.5), .null, .bool(true)])]))
        #expect(try value(JSONEncoder().encode(frame)) == value(Data(mood.utf8)))
        let answer = #"{"type":"syncResult","epoch":"e1","lastSeq":9,"missed":[\#(mood)],"complete":true}"#
        let result = try JSONDecoder().decode(SyncResultFrame.self, from: Data(answer.utf8))
        #expect(result.missed == [frame])
    }

    @Test func `an error with a code of a later version is an error`() throws {
        let later = #"{"type":"error","error":"Out of paper.","code":"no_paper","sessionId":"s1","seq":4}"#
        guard case .error(let frame) = try JSONDecoder().decode(ServerFrame.self, from: Data(later.utf8)) else {
            Issue.record("no error")
            return
        }
        #expect(frame.code == ErrorCode(rawValue: "no_paper"))
        #expect(frame.code != .internal && frame.seq == 4)
    }

    @Test func `a question is written as the schema asks`() throws {
        var message = ChatMessage()
        message.content = .text("Is it raining in Graz?")
        var chat = ChatFrame()
        chat.messages = [message]
        chat.clientMessageId = "c1"
        let written = try value(JSONEncoder().encode(ClientFrame.chat(chat)))
        #expect(try SourceTree.specification().messageSchemas(for: []).validate(written, as: "chat").isEmpty)
    }

    // MARK: The schema

    /// What the bundle defines and no type of ours stands for.
    private static let others: Set<String> = [
        "RateLimitFrame", "PushHeaders", "PushAps", "PushAlert", "UnknownFrame",
    ]
    private static let parts: [any MessageObject.Type] = [
        Limits.self, Statistics.self, ChatMessage.self, ContentPart.self, Session.self, StoredMessage.self, Turn.self,
        SessionSummary.self,
    ]

    @Test func `the types have the members that the schemas define, and miss what is required`() throws {
        let bundle = try JSONParser.value(SourceTree.text("Spec/bundle/messages.json"))
        let all = Array(Self.types.values) + Self.parts
        let types = Dictionary(all.map { ("\($0)", $0) }, uniquingKeysWith: { $1 })
        for (name, definition) in try #require(bundle["$defs"]?.objectValue) {
            guard let properties = definition["properties"]?.objectValue, !Self.others.contains(name) else { continue }
            let type = try #require(types[name], "no type \(name)")
            #expect(Self.names(of: type).sorted() == properties.keys.sorted(), "\(name)")
            let whole = Self.sample(definition, in: bundle)
            #expect(throws: Never.self, "\(name)") { try again(type, Data(whole.text().utf8)) }
            let required = (definition["required"]?.arrayValue ?? []).compactMap(\.stringValue)
            for member in properties.keys {
                var cut = whole
                cut[member] = nil
                let isRead = (try? again(type, Data(cut.text().utf8))) != nil
                #expect(isRead != required.contains(member), "\(name).\(member)")
            }
        }
    }

    @Test func `every code of the schemas is a constant`() throws {
        let bundle = try JSONParser.value(SourceTree.text("Spec/bundle/messages.json"))
        let code = bundle["$defs"]?["ErrorFrame"]?["properties"]?["code"]
        let source = try SourceTree.text("Sources/HoldfastMessages/Sets.swift")
        for name in try #require(code?["x-extensible-enum"]?.arrayValue) {
            #expect(source.contains("ErrorCode(rawValue: \(name.text()))"), "\(name.text())")
        }
    }

    private static func names<Message: MessageObject>(of type: Message.Type) -> [String] {
        type.members.map(\.name.stringValue)
    }

    /// A value with every member that a schema of the bundle defines.
    private static func sample(_ schema: JSONValue, in bundle: JSONValue) -> JSONValue {
        if let name = schema["$ref"]?.stringValue?.dropFirst("#/$defs/".count) {
            return sample(bundle["$defs"]?[String(name)] ?? .null, in: bundle)
        }
        if let fixed = schema["const"] ?? schema["enum"]?.arrayValue?.first { return fixed }
        if let first = schema["oneOf"]?.arrayValue?.first { return sample(first, in: bundle) }
        switch schema["type"]?.stringValue {
        case "integer": return 1
        case "boolean": return true
        case "array": return [sample(schema["items"] ?? .null, in: bundle)]
        case "object":
            let properties = schema["properties"]?.objectValue ?? [:]
            return .object(JSONObject(properties.map { ($0.key, sample($0.value, in: bundle)) }))
        default: return "x"
        }
    }
}

/// A frame that is not what it should be.
private struct SomethingElse: Error {
    let frame: ServerFrame
}

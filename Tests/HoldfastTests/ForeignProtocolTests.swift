import Foundation
import Holdfast
import TestSupport
import Testing

@Suite struct ForeignProtocolTests {
    private static let dialects = Result { try SourceTree.specification().dialects() }

    private func recognized(_ messages: [String], path: String = "/ws") throws -> ForeignProtocol? {
        var sample = WireSample()
        sample.take(path: path)
        for message in messages {
            let sender: Role? = message.hasPrefix(">") ? .client : message.hasPrefix("<") ? .server : nil
            sample.take(String(sender == nil ? message[...] : message.dropFirst()), sentBy: sender)
        }
        return sample.foreign(among: try Self.dialects.get())
    }

    @Test(arguments: [
        (#"0{"sid":"a","upgrades":[],"pingInterval":25000}"#, "Socket.IO"), (#"42["message","hello"]"#, "Socket.IO"),
        (#"{"type":"connection_init","payload":{}}"#, "GraphQL over WebSocket"),
        (#"{"id":"1","type":"next","payload":{"data":{}}}"#, "GraphQL over WebSocket"),
        (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, "MCP (Model Context Protocol)"),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "MCP (Model Context Protocol)"),
        (
            #"<{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"MCP error"}}"#,
            "MCP (Model Context Protocol)"
        ),
        (#"<{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#, "JSON-RPC 2.0, which MCP uses"),
        (#"{"jsonrpc":"2.0","id":1,"method":"add"}"#, "JSON-RPC 2.0, which MCP uses"),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1,"rootUri":null}}"#,
            "JSON-RPC 2.0, which MCP uses"
        ),
        (#"{"event":"message","data":{"text":"hello"}}"#, "JSON with 'event' for its types"),
        (#"{"event":"pusher:connection_established","data":"{}"}"#, "Pusher"),
        (#"{"op":"message","text":"hello"}"#, "JSON with another member for its types"),
        (#"["1","1","room:1","phx_join",{}]"#, "Phoenix Channels"), ("CONNECTED\nversion:1.2\n\n\u{0}", "STOMP"),
        (#"{"type":"response.create"}"#, "the OpenAI Realtime API"),
        (#"<{"type":"event","event":"connect.challenge","payload":{"nonce":"n"}}"#, "the gateway protocol of OpenClaw"),
        (#">{"type":"req","id":"1","method":"chat.send","params":{}}"#, "the gateway protocol of OpenClaw"),
        (#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#, "AG-UI (Agent User Interaction)"),
        (#"<{"type":"auth_required","ha_version":"2026.1"}"#, "the WebSocket API of Home Assistant"),
        (#"{"id":1,"connect":{"token":"t"}}"#, "Centrifugo"), (#"{"push":{"channel":"c","pub":{}}}"#, "Centrifugo"),
        ("data: {\"delta\":\"a\"}\n\n", "server-sent events, a stream of one direction over HTTP"),
        (#"{"type":"m.room.message","event_id":"$1","sender":"@a:b"}"#, "Matrix"),
        (#"{"event":"posted","data":{},"broadcast":{},"seq":1}"#, "Mattermost"),
        (#"{"op":10,"d":{"heartbeat_interval":1}}"#, "the gateway of Discord"),
        (#"{"msg":"connected","session":"s"}"#, "DDP (Meteor, Rocket.Chat)"),
        (#"{"setupComplete":{}}"#, "Gemini Live"),
        (#"{"type":"content_block_delta","index":0}"#, "a stream of the Anthropic Messages API"),
        (#"{"command":"subscribe","identifier":"{}"}"#, "Action Cable"),
        (#"{"type":1,"target":"send","arguments":["x"]}"#, "SignalR"),
        (#"<{"type":"tool_use","tool":"t","sessionId":"s"}"#, "the dialect 'nami'"),
        (#"<{"type":"auth_challenge"}"#, "the dialect 'adjutant' or 'syl'"),
        (#"<{"type":"connected","protocol":2,"connectionId":"x"}"#, "version 2 of the Holdfast protocol"),
    ])
    func `one message tells`(message: String, name: String) throws {
        #expect(try recognized([message])?.name == name)
    }

    @Test func `a client that offers only another version is recognized, and one that falls back is not`() {
        func offered(_ versions: [Int]) -> String? {
            var sample = WireSample(isOneSided: true)
            for version in versions { sample.take("{\"type\":\"auth\",\"protocol\":\(version)}", sentBy: .client) }
            return sample.offeredVersion?.name
        }
        let version = "version 2 of the Holdfast protocol"
        #expect(offered([2]) == version && offered([2, 2]) == version)
        #expect(offered([2, 1]) == nil && offered([1]) == nil && offered([]) == nil && offered([2, 3]) == nil)
    }

    @Test func `a server that sends the client's first message back is an echo server`() {
        func recognized(_ sender: Role, isOneSided: Bool = true) -> String? {
            var sample = WireSample(isOneSided: isOneSided)
            sample.take(#"{"type":"auth","protocol":1}"#, sentBy: sender)
            return sample.foreign(among: [])?.name
        }
        #expect(recognized(.server) == "an echo server")
        #expect(recognized(.client) == nil && recognized(.server, isOneSided: false) == nil)
        // A server that greets may send any type besides.
        var sample = WireSample(isOneSided: true)
        sample.take(#"{"type":"connected","protocol":1,"connectionId":"c"}"#, sentBy: .server)
        sample.take(#"{"type":"auth","protocol":1}"#, sentBy: .server)
        #expect(sample.foreign(among: []) == nil)
    }

    @Test func `an address tells`() throws {
        #expect(try recognized([], path: "/socket.io/?EIO=4&transport=websocket")?.name == "Socket.IO")
        let error = #"<{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#
        #expect(try recognized([error], path: "/mcp")?.name == "MCP (Model Context Protocol)")
    }

    @Test(arguments: [
        #"{"type":"ping"}"#, #"{"type":"error","code":"bad_request","error":"no"}"#, "[]", "null", "not JSON", "{}",
        #"{"type":"done","text":"42[\"message\"]","sessionId":"s1"}"#,
        #"{"type":"error","code":"unsupported_version","error":"no"}"#, #"{"type":"typing"}"#,
    ])
    func `what shows no mark is not recognized`(message: String) throws {
        #expect(try recognized([message]) == nil)
    }

    @Test func `one message of this protocol outweighs strange ones`() throws {
        #expect(
            try recognized([
                #"{"event":"x","data":1}"#, #">{"type":"chat","messages":[{"role":"user","content":"hello"}]}"#,
                #"{"jsonrpc":"2.0","id":1,"method":"add"}"#,
            ]) == nil)
    }

    @Test func `a server most of whose messages are strange is foreign whatever words it shares`() throws {
        let shared = [#">{"type":"auth","token":"x"}"#, #"<{"type":"done","text":"shared"}"#, #"<{"type":"pong"}"#]
        let strange = (1...3).map { #"<{"type":"novelty","n":\#($0)}"# }
        #expect(try recognized(shared + strange)?.name == "JSON with other types")
        #expect(try recognized(shared + strange.prefix(2)) == nil)
        // What only this protocol says outweighs any number of types of the server's own.
        let greeting = #"<{"type":"connected","protocol":1,"connectionId":"c"}"#
        #expect(try recognized([greeting] + shared + strange + strange) == nil)
    }

    @Test func `a client that asks for a version is answered with another`() throws {
        // That is a violation (LIVE-8), unless the server also sends types that version 1 does not have.
        let asked = #">{"type":"auth","protocol":1}"#
        let answered = #"<{"type":"connected","protocol":2,"connectionId":"a"}"#
        #expect(try recognized([asked, answered]) == nil)
        let named = try recognized([asked, answered, #"<{"type":"delta","text":"a"}"#])
        #expect(named?.name == "version 2 of the Holdfast protocol")
        var sample = WireSample(isOneSided: true)
        sample.take(String(answered.dropFirst()), sentBy: .server)
        #expect(sample.foreign(among: []) == nil && !sample.isOwn)
        sample.take(#"{"type":"delta","text":"a"}"#, sentBy: .server)
        #expect(sample.foreign(among: [])?.name == "version 2 of the Holdfast protocol")
    }

    @Test func `no fixture is taken for another protocol`() throws {
        let folder = URL(fileURLWithPath: SourceTree.root + "/Fixtures")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { ["json", "ndjson"].contains($0.pathExtension) }
        #expect(files.count > 300)
        // Two are words of other dialects, to be refused as messages.
        let others = ["type-of-another-dialect.json", "type-with-underscore.json"]
        for file in files where !others.contains(file.lastPathComponent) {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let found = try recognized(file.pathExtension == "json" ? [text] : Self.messages(of: text))
            #expect(found == nil, "\(file.lastPathComponent): \(found?.name ?? "")")
        }
    }

    /// The messages of a transcript, with `>` or `<` before each.
    private static func messages(of transcript: String) -> [String] {
        transcript.split(separator: "\n").compactMap { line in
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let text = object["text"] as? String, let direction = object["dir"] as? String
            else { return nil }
            return direction + text
        }
    }
}

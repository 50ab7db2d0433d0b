import HoldfastJSON
import HoldfastTranscript
import Testing

@testable import HoldfastCaptures

@Suite struct UnnamedConnectionsTests {
    /// Which messages are left out; `>` begins what the client sent.
    private func leftOut(_ messages: [String]) throws -> [Int] {
        var connections = UnnamedConnections()
        return try messages.indices.filter { index in
            let isClients = messages[index].hasPrefix(">")
            let text = isClients ? String(messages[index].dropFirst()) : messages[index]
            return connections.isOfAnother(try JSONParser.value(text), text, isClients ? .toServer : .fromServer)
        }
    }

    private let auth = #">{"type":"auth"}"#
    private let connected = #"{"type":"connected"}"#
    private let done = #"{"type":"done","seq":1}"#

    @Test func `with two devices each frame of the stream is read once`() throws {
        #expect(try leftOut([auth, connected, auth, connected, done, done]) == [5])
    }

    @Test func `handshakes that cross are one`() throws {
        #expect(try leftOut([auth, auth, connected, connected, done, done]) == [1, 3, 5])
    }

    @Test func `what one device gets twice stays`() throws {
        #expect(try leftOut([auth, connected, done, done]).isEmpty)
    }

    @Test func `a device that comes back is read on`() throws {
        let next = #"{"type":"done","seq":2}"#
        #expect(try leftOut([auth, connected, done, auth, connected, next]).isEmpty)
    }

    @Test func `what another device sees before the ack is left out`() throws {
        let tool = #"{"type":"toolUse","turnId":"t1","seq":1}"#
        let ack = #"{"type":"ack","clientMessageId":"c1","turnId":"t1"}"#
        let chat = #">{"type":"chat","clientMessageId":"c1"}"#
        #expect(try leftOut([auth, connected, auth, connected, chat, tool, ack, tool]) == [5])
        #expect(try leftOut([auth, connected, chat, tool, ack]).isEmpty)
    }
}

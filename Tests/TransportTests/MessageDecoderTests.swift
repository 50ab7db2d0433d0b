import HoldfastBasics
import NIOCore
import Testing

@testable import HoldfastTransport

@Suite struct MessageDecoderTests {
    /// The events of the bytes, fed in pieces of one size.
    private func events(
        of bytes: [UInt8],
        pieces size: Int,
        from sender: RelaySide = .server,
        limit: Int = 1000,
        oversize: MessageDecoder.Oversize = .fail
    ) throws -> [WebSocketEvent] {
        var decoder = MessageDecoder(sender: sender, maxMessageBytes: limit, oversize: oversize, address: "test")
        var buffer = ByteBuffer()
        var found: [WebSocketEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer.writeBytes(bytes[start..<min(start + size, bytes.count)])
            while let event = try decoder.next(&buffer) { found.append(event) }
        }
        return found
    }

    private static let conversation: [WebSocketFrame] = [
        WebSocketFrame(.text, Array("grüß".utf8)),
        WebSocketFrame(.text, Array("a".utf8), isFinal: false),
        WebSocketFrame(.ping, [1, 2, 3]),
        WebSocketFrame(.continuation, [], isFinal: false),
        WebSocketFrame(.continuation, Array("b".utf8)),
        WebSocketFrame(.binary, Array(repeating: 7, count: 126)),
        WebSocketFrame(.binary, Array(repeating: 8, count: 900)),
        WebSocketFrame(.text, [0xFF]),
        WebSocketFrame(.pong),
        .close(code: 1012, reason: "restart"),
    ]
    private static let expected: [WebSocketEvent] = [
        .text("grüß"), .ping([1, 2, 3]), .text("ab"), .binary(Array(repeating: 7, count: 126)),
        .binary(Array(repeating: 8, count: 900)), .invalidText([0xFF]), .pong([]),
        .close(code: 1012, reason: "restart"),
    ]

    @Test(arguments: [1, 2, 3, 7, 64, 10_000])
    func `events do not depend on how the bytes are cut`(_ size: Int) throws {
        let plain = Self.conversation.flatMap { $0.bytes(mask: nil) }
        #expect(try events(of: plain, pieces: size) == Self.expected)
        let masked = Self.conversation.flatMap { $0.bytes(mask: 0x1234_ABCD) }
        #expect(try events(of: masked, pieces: size, from: .client) == Self.expected)
    }

    @Test func `a length of eight bytes is read`() throws {
        let frame = WebSocketFrame(.binary, Array(repeating: 1, count: 70_000))
        #expect(try events(of: frame.bytes(mask: nil), pieces: 4096, limit: 70_000) == [.binary(frame.payload)])
    }

    @Test(arguments: [UInt16(0), 999, 1000, 1004, 1005, 1006, 1012, 1013, 1015, 4001, 65535])
    func `every close code arrives as sent`(_ code: UInt16) throws {
        let bytes = WebSocketFrame.close(code: code).bytes(mask: nil)
        #expect(try events(of: bytes, pieces: 1) == [.close(code: code, reason: "")])
    }

    @Test func `an empty close frame has no code`() throws {
        #expect(try events(of: WebSocketFrame(.close).bytes(mask: nil), pieces: 9) == [.close(code: nil, reason: "")])
    }

    @Test func `a close reason is cut between characters`() {
        let frame = WebSocketFrame.close(code: 1000, reason: String(repeating: "é", count: 100))
        #expect(frame.payload.count == 124)
        #expect(String(utf8: frame.payload.dropFirst(2))?.count == 61)
    }

    @Test(
        arguments: [
            ([0xC1, 0x00], "reserved bits 4 without an extension"),
            ([0x83, 0x00], "reserved opcode 3"),
            ([0x8B, 0x00], "reserved opcode 11"),
            ([0x80, 0x00], "a continuation frame without a message to continue"),
            ([0x01, 0x00, 0x81, 0x00], "a new message before the last one ended"),
            ([0x09, 0x00], "a fragmented control frame"),
            ([0x89, 126, 0, 126], "a control frame of more than 125 bytes"),
            ([0x81, 0x80, 0, 0, 0, 0], "a masked frame from a server"),
            ([0x81, 126, 0, 5], "a length of 5 in two bytes where one is enough"),
            ([0x81, 127, 0, 0, 0, 0, 0, 0, 1, 0], "a length of 256 in eight bytes where fewer are enough"),
            ([0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], "a length of 2^63 or more"),
            ([0x88, 1, 3], "a close frame of one byte"),
            ([0x88, 3, 3, 232, 0xFF], "a close frame with code 1000 whose reason is not UTF-8"),
        ] as [([UInt8], String)])
    func `a frame against the rules is named`(_ bytes: [UInt8], _ reason: String) {
        for size in [1, 100] {
            let problem = #expect(throws: TransportProblem.self) { try events(of: bytes, pieces: size) }
            #expect(problem?.code == .protocolError(reason: reason))
        }
    }

    @Test func `an unmasked frame from a client is against the rules`() {
        let problem = #expect(throws: TransportProblem.self) {
            try events(of: WebSocketFrame(.text).bytes(mask: nil), pieces: 1, from: .client)
        }
        #expect(problem?.code == .protocolError(reason: "an unmasked frame from a client"))
    }

    @Test func `a message at the limit passes and one above fails by its header`() throws {
        let fits = WebSocketFrame(.binary, Array(repeating: 1, count: 1000))
        #expect(try events(of: fits.bytes(mask: nil), pieces: 100) == [.binary(fits.payload)])
        let claims = WebSocketFrame(.binary, claimedLength: 1 << 40).bytes(mask: nil)
        let problem = #expect(throws: TransportProblem.self) { try events(of: claims, pieces: 100) }
        #expect(problem?.code == .tooLarge(limit: 1000))
    }

    @Test func `fragments count together against the limit`() {
        let frames = [
            WebSocketFrame(.text, Array(repeating: 65, count: 600), isFinal: false),
            WebSocketFrame(.continuation, Array(repeating: 65, count: 401)),
        ]
        let problem = #expect(throws: TransportProblem.self) {
            try events(of: frames.flatMap { $0.bytes(mask: nil) }, pieces: 50)
        }
        #expect(problem?.code == .tooLarge(limit: 1000))
    }

    @Test(arguments: [1, 100, 10_000])
    func `a discarded message is reported once and the next one is whole`(_ size: Int) throws {
        let frames = [
            WebSocketFrame(.text, Array(repeating: 65, count: 600), isFinal: false),
            WebSocketFrame(.continuation, Array(repeating: 65, count: 700), isFinal: false),
            WebSocketFrame(.ping, [9]),
            WebSocketFrame(.continuation, Array(repeating: 65, count: 2000)),
            WebSocketFrame(.text, Array("next".utf8)),
        ]
        let found = try events(of: frames.flatMap { $0.bytes(mask: nil) }, pieces: size, oversize: .discard)
        #expect(found == [.tooLarge(bytes: 1300), .ping([9]), .text("next")])
    }
}

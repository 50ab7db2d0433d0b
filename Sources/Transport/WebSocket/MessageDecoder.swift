import HoldfastBasics
import NIOCore

/// Turns the bytes of one direction of a WebSocket into events; the bytes may arrive in pieces of any size.
///
/// Memory is bounded by `maxMessageBytes`: a larger message is detected by its header and never collected.
struct MessageDecoder {
    enum Oversize { case fail, discard }

    private struct Header {
        var opcode: WebSocketFrame.Opcode
        var isFinal: Bool
        var mask: UInt32?
        var length: Int
        var consumed = 0
    }

    /// The sender of the bytes, which decides whether they must be masked.
    private let sender: RelaySide
    private let oversize: Oversize
    private let maxMessageBytes: Int
    private let address: String

    private var frame: Header?
    private var message: [UInt8] = []
    private var messageOpcode: WebSocketFrame.Opcode?
    private var discarding = false
    private var control: [UInt8] = []
    private var failed = false

    init(sender: RelaySide, maxMessageBytes: Int, oversize: Oversize, address: String) {
        self.sender = sender
        self.maxMessageBytes = maxMessageBytes
        self.oversize = oversize
        self.address = address
    }

    /// The next event; nil if it needs more bytes.
    mutating func next(_ buffer: inout ByteBuffer) throws(TransportProblem) -> WebSocketEvent? {
        guard !failed else {
            buffer.moveReaderIndex(to: buffer.writerIndex)
            return nil
        }
        do {
            while true {
                if frame == nil {
                    guard let header = try readHeader(&buffer) else { return nil }
                    frame = header
                    if let event = try begin(header) { return event }
                }
                guard takePayload(&buffer) else { return nil }
                if let event = try finish() { return event }
            }
        } catch {
            failed = true
            message = []
            throw error
        }
    }

    var heldBytes: Int { message.count + control.count }

    var isBetweenFrames: Bool { frame == nil }

    private func problem(_ reason: String) -> TransportProblem {
        TransportProblem(.protocolError(reason: reason), at: address)
    }

    private func readHeader(_ buffer: inout ByteBuffer) throws(TransportProblem) -> Header? {
        let start = buffer.readerIndex
        guard let first = buffer.getInteger(at: start, as: UInt8.self) else { return nil }
        let opcode = WebSocketFrame.Opcode(first & 15)
        let isFinal = first & 0x80 != 0
        guard first & 0x70 == 0 else { throw problem("reserved bits \((first & 0x70) >> 4) without an extension") }
        switch opcode {
        case .continuation:
            guard messageOpcode != nil else { throw problem("a continuation frame without a message to continue") }
        case .text, .binary:
            guard messageOpcode == nil else { throw problem("a new message before the last one ended") }
        case .close, .ping, .pong:
            guard isFinal else { throw problem("a fragmented control frame") }
        default:
            throw problem("reserved opcode \(opcode.rawValue)")
        }
        guard let second = buffer.getInteger(at: start + 1, as: UInt8.self) else { return nil }
        let masked = second & 0x80 != 0
        guard masked == (sender == .client) else {
            throw problem(masked ? "a masked frame from a server" : "an unmasked frame from a client")
        }
        var offset = start + 2
        var length = Int(second & 0x7F)
        if opcode.isControl, length > 125 { throw problem("a control frame of more than 125 bytes") }
        if length == 126 {
            guard let short = buffer.getInteger(at: offset, as: UInt16.self) else { return nil }
            guard short > 125 else { throw problem("a length of \(short) in two bytes where one is enough") }
            length = Int(short)
            offset += 2
        } else if length == 127 {
            guard let long = buffer.getInteger(at: offset, as: UInt64.self) else { return nil }
            guard long > 65535 else { throw problem("a length of \(long) in eight bytes where fewer are enough") }
            guard let exact = Int(exactly: long) else { throw problem("a length of 2^63 or more") }
            length = exact
            offset += 8
        }
        var mask: UInt32?
        if masked {
            guard let key = buffer.getInteger(at: offset, as: UInt32.self) else { return nil }
            mask = key
            offset += 4
        }
        buffer.moveReaderIndex(to: offset)
        return Header(opcode: opcode, isFinal: isFinal, mask: mask, length: length)
    }

    private mutating func begin(_ header: Header) throws(TransportProblem) -> WebSocketEvent? {
        guard !header.opcode.isControl else {
            control = []
            return nil
        }
        if header.opcode != .continuation {
            messageOpcode = header.opcode
            message = []
            // The length is only a claim, so at most 2 MiB are reserved. Later fragments grow the array by doubling:
            // reserving for each of many small ones would copy the message every time.
            message.reserveCapacity(min(header.length, maxMessageBytes, 2 << 20))
            discarding = false
        }
        guard !discarding, header.length > maxMessageBytes - message.count else { return nil }
        let (total, overflow) = message.count.addingReportingOverflow(header.length)
        message = []
        switch oversize {
        case .fail:
            throw TransportProblem(.tooLarge(limit: maxMessageBytes), at: address)
        case .discard:
            discarding = true
            return .tooLarge(bytes: overflow ? .max : total)
        }
    }

    /// Moves the available payload; true once the frame is complete.
    private mutating func takePayload(_ buffer: inout ByteBuffer) -> Bool {
        guard var header = frame else { return false }
        let count = min(header.length - header.consumed, buffer.readableBytes)
        if count > 0 {
            if header.opcode.isControl {
                Self.append(buffer.readSlice(length: count), to: &control, header)
            } else if discarding {
                buffer.moveReaderIndex(forwardBy: count)
            } else {
                Self.append(buffer.readSlice(length: count), to: &message, header)
            }
            header.consumed += count
            frame = header
        }
        return header.consumed == header.length
    }

    private static func append(_ slice: ByteBuffer?, to bytes: inout [UInt8], _ header: Header) {
        guard let slice else { return }
        let start = bytes.count
        slice.withUnsafeReadableBytes { bytes.append(contentsOf: $0) }
        guard let mask = header.mask else { return }
        bytes.withUnsafeMutableBytes { all in
            let added = UnsafeMutableRawBufferPointer(rebasing: all[start...])
            WebSocketFrame.unmask(added, with: mask, from: header.consumed)
        }
    }

    private mutating func finish() throws(TransportProblem) -> WebSocketEvent? {
        guard let header = frame else { return nil }
        frame = nil
        switch header.opcode {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        case .close: return try closeEvent()
        default: break
        }
        guard header.isFinal else { return nil }
        let opcode = messageOpcode
        messageOpcode = nil
        guard !discarding else {
            discarding = false
            return nil
        }
        let bytes = message
        message = []
        guard opcode == .text else { return .binary(bytes) }
        guard let text = String(utf8: bytes) else { return .invalidText(bytes) }
        return .text(text)
    }

    private func closeEvent() throws(TransportProblem) -> WebSocketEvent {
        guard !control.isEmpty else { return .close(code: nil, reason: "") }
        guard control.count >= 2 else { throw problem("a close frame of one byte") }
        let code = UInt16(control[0]) << 8 | UInt16(control[1])
        guard let reason = String(utf8: control.dropFirst(2)) else {
            throw problem("a close frame with code \(code) whose reason is not UTF-8")
        }
        return .close(code: code, reason: reason)
    }
}

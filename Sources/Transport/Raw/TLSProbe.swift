package enum TLSProbe {
    /// Whether a port answers the first message of a TLS handshake with a handshake or an alert (RFC 8446, 5.1).
    package static func findsTLS(at endpoint: Endpoint, within limit: Duration) async -> Bool {
        guard let connection = try? await RawConnection.open(host: endpoint.host, port: endpoint.port, timeout: limit)
        else { return false }
        defer { connection.cut(.fin) }
        guard (try? await connection.send(clientHello)) != nil,
            case .binary(let answer) = try? await connection.nextEvent(within: limit), let type = answer.first
        else { return false }
        // An alert, or a handshake that starts with a ServerHello; a port that echoes sends the ClientHello back.
        return type == 21 || type == 22 && answer.dropFirst(5).first == 2
    }

    /// A ClientHello of TLS 1.2 with three common cipher suites; a server that only has newer versions sends an alert.
    private static var clientHello: [UInt8] {
        let body: [UInt8] =
            [3, 3] + (0..<32).map { _ in UInt8.random(in: .min ... .max) }
            + [0, 0, 6, 0xC0, 0x2B, 0xC0, 0x2F, 0x00, 0x2F, 1, 0]
        return [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
    }
}

import HoldfastPlatform
import NIOCore
import NIOHTTP1
import NIOPosix

extension TransportProblem {
    /// Translates an error of the underlying libraries; their text becomes the cause.
    init(_ error: any Error, at address: String) {
        switch error {
        case let problem as TransportProblem: self = problem
        case is CancellationError: self.init(.cancelled, at: address)
        case let error as NIOConnectionError: self.init(connecting: error, at: address)
        case let error as IOError: self.init(Self.code(of: error), at: address, causes: ["\(error)"])
        case let error as ChannelError: self.init(Self.code(of: error), at: address, causes: ["\(error)"])
        case let error as HTTPParserError:
            self.init(.protocolError(reason: "not HTTP, \(error)"), at: address)
        case let error as NIOHTTPDecoderError:
            self.init(.protocolError(reason: "not HTTP, \(error)"), at: address)
        default:
            let code = TLS.provider?.code(of: error)
            self.init(code ?? .system(reason: "\(error)"), at: address, causes: code == .closed ? ["\(error)"] : [])
        }
    }

    private init(connecting error: NIOConnectionError, at address: String) {
        let attempts = error.connectionErrors.map(\.error)
        var causes = attempts.map { "\($0)" }
        causes += [error.dnsAError, error.dnsAAAAError].compactMap { $0.map { "\($0)" } }
        let isUnknown = attempts.isEmpty && (error.dnsAError != nil || error.dnsAAAAError != nil)
        // A host's addresses may fail in different ways; a refusal proves that the host is up.
        let codes = attempts.map { TransportProblem($0, at: address).code }
        let code = codes.first { $0 == .connectionRefused } ?? codes.first
        self.init(isUnknown ? .unknownHost : code ?? .unreachable, at: address, causes: causes)
    }

    private static func code(of error: IOError) -> Code {
        switch error.reason {
        case .connectionReset, .brokenPipe: .reset
        case .connectionRefused: .connectionRefused
        case .hostUnreachable, .networkUnreachable, .timedOut: .unreachable
        case .noPermission, .notPermitted: .notPermitted
        case .addressNotAvailable: .exhausted(reason: error.reason.description)
        case let reason where SystemError.exhausted.contains(reason): .exhausted(reason: reason.description)
        case let reason: .system(reason: reason.description)
        }
    }

    private static func code(of error: ChannelError) -> Code {
        switch error {
        case .connectTimeout(let limit): .late(what: "connection", limit: .nanoseconds(limit.nanoseconds))
        case .ioOnClosedChannel, .alreadyClosed, .outputClosed, .inputClosed, .eof: .closed
        default: .system(reason: "\(error)")
        }
    }
}

extension IOError {
    var reason: SystemError { SystemError(errnoCode) }
}

/// Explains errors of the TLS library, whose own text names functions, files and lines of its source.
package enum TLSWords {
    package static func reason(_ description: String) -> String {
        if let known = known.first(where: { entry in entry.marks.contains { description.contains($0) } }) {
            return known.words
        }
        // For example `error:10000410:SSL routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE at
        // …/tls_record.cc:592`.
        if let name = description.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/) {
            return name.1.lowercased().replacing("_", with: " ")
        }
        return String(description.prefix { $0 != "/" })
    }

    private static let known: [(marks: [String], words: String)] = [
        (["sslError([Error:  EOF", "sslError([EOF"], endsWithoutReason),
        (["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"], "the other side does not use TLS"),
        (["CERTIFICATE_VERIFY_FAILED"], untrusted),
        (["failedToValidateHostname", "unableToValidateCertificate"], ofAnotherHost),
        (["CERTIFICATE_REQUIRED"], wantsCertificate),
        (["ALERT_HANDSHAKE_FAILURE"], endsHandshake),
        (
            [
                "ALERT_BAD_CERTIFICATE", "ALERT_UNKNOWN_CA", "ALERT_CERTIFICATE_UNKNOWN", "ALERT_CERTIFICATE_EXPIRED",
                "ALERT_UNSUPPORTED_CERTIFICATE",
            ], distrusts
        ),
    ]

    package static let wantsCertificate = "it requires a client certificate"
    private static let endsHandshake =
        "it ended the handshake, probably because it requires a (different) client certificate"
    private static let distrusts = "it does not accept the client certificate"

    package static let endsWithoutReason = "it ended the connection during the handshake"
    private static let untrusted = "its certificate is not trusted"
    private static let ofAnotherHost = "its certificate is not for this host"

    package static func isAboutServer(_ reason: String) -> Bool { [untrusted, ofAnotherHost].contains(reason) }

    package static func isAboutClient(_ reason: String) -> Bool {
        [wantsCertificate, endsHandshake, distrusts].contains(reason)
    }
}

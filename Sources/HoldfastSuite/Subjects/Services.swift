import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastStage
import HoldfastTransport

/// The services for a subject while a command uses it: a push service, and a model that follows scripts.
enum Services {
    /// Starts the services that the subject needs, runs the body, and ends everything.
    static func run<Result>(
        for subject: ServerSubject, push: ServiceAddress? = nil, pushCertificate: String? = nil,
        pushTopic: String? = nil, model: ServiceAddress? = nil, _ body: (ServerSubject) async throws -> Result
    ) async throws -> Result {
        var subject = subject
        var ends: [() async -> Void] = []
        return try await finally({ for end in ends.reversed() { await end() } }) {
            let start = subject.start
            if push != nil || start?.takesPush ?? false || subject.profiles.contains(.push) && start != nil {
                let sink = try await (push ?? ServiceAddress()).listening(push == nil ? "push service" : "--push-sink")
                {
                    (address) async throws(TransportProblem) in
                    try await PushSink(
                        host: address.host, port: address.port, isSecure: address.isSecure, topic: pushTopic)
                }
                ends.append { await sink.stop() }
                if let certificate = sink.certificate, let pushCertificate {
                    try Files.write(certificate, to: pushCertificate)
                }
                subject.pushSink = sink
            }
            if model != nil || start?.takesModel ?? false || subject.agent == .model && start != nil {
                let endpoint = try await (model ?? ServiceAddress()).listening(
                    model == nil ? "model endpoint" : "--model-endpoint"
                ) {
                    (address) async throws(TransportProblem) in
                    try await ModelEndpoint.start(host: address.host, port: address.port)
                }
                ends.append { await endpoint.stop(graceful: .zero) }
                subject.start?.modelURL = endpoint.httpURL("")
            }
            return try await body(subject)
        }
    }
}

/// The address at which the suite offers a service.
package struct ServiceAddress: Sendable, Equatable {
    package var host = "127.0.0.1"
    /// The port; 0 for any free one.
    package var port = 0
    var isSecure = false

    init() {}

    /// An address from an option: `host:port`, or a port of this machine with or without a colon.
    ///
    /// * `option`: The name of the option, such as `--listen`.
    /// * `maySecure`: Whether `,tls` may follow it.
    package init(_ text: String, given option: String, maySecure: Bool = false) throws(InputProblem) {
        isSecure = maySecure && text.hasSuffix(",tls")
        let text = isSecure ? String(text.dropLast(4)) : text
        let colon = text.lastIndex(of: ":")
        let host = colon.map { String(text[..<$0]) } ?? ""
        let number = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard let port = Int(number), (0...65_535).contains(port) else {
            throw InputProblem(
                option, "'\(text)' is not an address",
                expected: "a port, or host:port such as 127.0.0.1:9100"
                    + (maySecure ? ", followed by ,tls for TLS" : ""), fix: "correct it; port 0 picks a free one")
        }
        self.port = port
        if !host.isEmpty { self.host = host }
    }

    package func listening<Service>(
        _ option: String, _ start: (ServiceAddress) async throws(TransportProblem) -> Service
    ) async throws(SuiteProblem) -> Service {
        do throws(TransportProblem) {
            return try await start(self)
        } catch {
            throw SuiteProblem(listeningAt: option, error)
        }
    }
}

package enum LocalAddresses {
    /// Every IPv4 address, with those that others can reach first.
    package static var all: [String] {
        let found = Network.addresses
        return found.filter { !$0.hasPrefix("127.") } + found.filter { $0.hasPrefix("127.") }
    }

    /// A reachable host to show and use instead of a wildcard address; any other host is unchanged.
    package static func reachable(insteadOf host: String) -> String {
        ["0.0.0.0", "*", "::"].contains(host) ? all.first ?? "127.0.0.1" : host
    }
}

import Stage
import Transport

/// What the suite serves to a subject for as long as a command meets it: a push service, and a model that obeys scripts.
enum Services {
    /// Where a service listens, when the subject was configured with an address beforehand.
    struct Address: Sendable, Equatable {
        var host = "127.0.0.1"
        /// 0 takes a free one.
        var port = 0
        /// Whether it speaks TLS.
        var isSecure = false
    }

    /// Starts what the subject needs, lets the body meet it, and ends everything.
    static func run<Result>(
        for subject: ServerSubject, push: Address? = nil, pushCertificate: String? = nil, pushTopic: String? = nil,
        model: Address? = nil, _ body: (ServerSubject) async throws -> Result
    ) async throws -> Result {
        var subject = subject
        var sink: PushSink?
        if push != nil || subject.start?.takesPush ?? false || subject.profiles.contains(.push) && subject.start != nil
        {
            let address = push ?? Address()
            sink = try await listening("--push-sink") { () async throws(TransportProblem) in
                try await PushSink.start(
                    host: address.host, port: address.port, isSecure: address.isSecure, topic: pushTopic)
            }
            if let certificate = sink?.certificate, let pushCertificate {
                try Files.write(certificate, to: pushCertificate)
            }
            subject.pushSink = sink
        }
        var endpoint: ModelEndpoint?
        do {
            if model != nil || subject.start?.takesModel ?? false || subject.agent == .model && subject.start != nil {
                let address = model ?? Address()
                endpoint = try await listening("--model-endpoint") { () async throws(TransportProblem) in
                    try await ModelEndpoint.start(host: address.host, port: address.port)
                }
                subject.start?.modelURL = endpoint?.url
            }
            let result = try await body(subject)
            await endpoint?.stop()
            await sink?.stop()
            return result
        } catch {
            await endpoint?.stop()
            await sink?.stop()
            throw error
        }
    }

    private static func listening<Service>(
        _ flag: String, _ start: () async throws(TransportProblem) -> Service
    ) async throws -> Service {
        do {
            return try await start()
        } catch {
            throw Tool.refuse(flag, error)
        }
    }
}

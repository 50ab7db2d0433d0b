import Holdfast
import HoldfastTransport

extension TLSOptions {
    /// The TLS options of a connection, from flags; problems with the files name the flag.
    package init(
        authorities: String?, certificate: String?, key: String?, acceptsAnyCertificate: Bool,
        _ problems: inout [InputProblem]
    ) {
        var identity: Identity?
        if let certificate, let key {
            identity = .init(certificateFile: certificate, keyFile: key)
        } else if certificate != nil || key != nil {
            problems.note(
                key == nil ? "--client-certificate" : "--client-key", "one needs the other",
                expected: "--client-certificate FILE and --client-key FILE", fix: "give both")
        }
        self.init(acceptAnyCertificate: acceptsAnyCertificate, trustRootsFile: authorities, identity: identity)
        do {
            problems += try flaws { try Files.text(of: $0) }.map { flaw in
                let (flag, file) =
                    switch flaw.part {
                    case .trustRoots: ("--ca", authorities)
                    case .certificate: ("--client-certificate", certificate)
                    case .key: ("--client-key", key)
                    }
                return InputProblem(flag, "'\(file ?? "")' \(flaw.what)", expected: flaw.expected, fix: flaw.fix)
            }
        } catch {
            problems += [error as? InputProblem].compactMap(\.self)
        }
    }
}

extension TLSIdentity {
    /// The certificate presented to clients that use TLS, from flags: files, one made for a host, or none.
    package init?(certificate: String?, key: String?, madeFor host: String?, certificateOut: String?) throws {
        if let certificate, let key {
            for file in [certificate, key] { _ = try Files.bytes(of: file) }
            self.init(certificateFile: certificate, keyFile: key)
            return
        }
        guard let host else { return nil }
        do {
            let authority = try ThrowAwayAuthority(for: host)
            if let certificateOut { try Files.write(authority.certificate, to: certificateOut) }
            self = authority.identity
        } catch let problem as TransportProblem {
            throw InputProblem(
                "--listen", "cannot make a certificate for '\(host)': \(problem.name)",
                expected: "'openssl', and a host name or an address",
                fix: "install openssl, or give --tls-cert and --tls-key")
        }
    }
}

import Holdfast
import HoldfastTransport

package struct GivenTLS: Sendable, Equatable {
    private let authorities, certificate, key: String?
    private let acceptsAnyCertificate: Bool

    package init(authorities: String?, certificate: String?, key: String?, acceptsAnyCertificate: Bool) {
        (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
        self.acceptsAnyCertificate = acceptsAnyCertificate
    }

    /// The TLS options of a connection; problems with the files name the flag.
    package func options(_ problems: inout [InputProblem]) -> TLSOptions {
        var identity: TLSOptions.Identity?
        switch (certificate, key) {
        case (let certificate?, let key?): identity = .init(certificateFile: certificate, keyFile: key)
        case (nil, nil): break
        default:
            problems.note(
                key == nil ? "--client-certificate" : "--client-key", "one needs the other",
                expected: "--client-certificate FILE and --client-key FILE", fix: "give both")
        }
        let options = TLSOptions(
            acceptAnyCertificate: acceptsAnyCertificate, trustRootsFile: authorities, identity: identity)
        problems += options.problems()
        return options
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

extension TLSOptions {
    package func problems() -> [InputProblem] {
        do {
            return try flaws { try Files.text(of: $0) }.map { flaw in
                let (flag, file) =
                    switch flaw.part {
                    case .trustRoots: ("--ca", trustRootsFile)
                    case .certificate: ("--client-certificate", identity?.certificateFile)
                    case .key: ("--client-key", identity?.keyFile)
                    }
                return InputProblem(
                    flag, "'\(file ?? "")' \(flaw.what)", expected: flaw.expected, fix: flaw.fix)
            }
        } catch {
            return [error as? InputProblem].compactMap(\.self)
        }
    }
}

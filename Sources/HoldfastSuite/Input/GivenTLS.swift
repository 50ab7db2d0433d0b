import Holdfast
import HoldfastTransport

/// How TLS is spoken with a server, as flags have it.
package struct GivenTLS: Sendable, Equatable {
    private let authorities, certificate, key: String?
    private let acceptsAnyCertificate: Bool

    package init(authorities: String?, certificate: String?, key: String?, acceptsAnyCertificate: Bool) {
        (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
        self.acceptsAnyCertificate = acceptsAnyCertificate
    }

    /// The same for a connection; what is wrong with the files is a problem of whoever named them.
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

import ArgumentParser
import HoldfastSuite

/// Headers of what a command sends to a server.
struct HeaderFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A header of every upgrade and request; may be given several times. No transcript shows it.",
            valueName: "name: value"))
    var header: [String] = []

    @Option(help: ArgumentHelp("The same as --header 'Cookie: VALUE'.", valueName: "value"))
    var cookie: String?

    @Option(help: ArgumentHelp("The same as --header 'Origin: URL'.", valueName: "url"))
    var origin: String?
}

/// How a command speaks TLS with a server.
struct TLSFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The certificate authorities to trust instead of the system's, in PEM form.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(
        help: ArgumentHelp("The certificate to show the server, in PEM form.", valueName: "file"), completion: .file())
    var clientCertificate: String?

    @Option(help: ArgumentHelp("The key of that certificate, in PEM form.", valueName: "file"), completion: .file())
    var clientKey: String?

    @Flag(help: "Accept any TLS certificate of the server.")
    var acceptAnyCertificate = false

    /// The flags, for whoever connects.
    var given: GivenTLS {
        GivenTLS(
            authorities: ca, certificate: clientCertificate, key: clientKey, acceptsAnyCertificate: acceptAnyCertificate
        )
    }
}

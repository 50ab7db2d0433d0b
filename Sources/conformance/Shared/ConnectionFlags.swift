import ArgumentParser
import Holdfast
import HoldfastSuite
import HoldfastTransport

struct HeaderFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send this header with every upgrade and request. Repeatable. Never recorded.",
            valueName: "name: value"))
    var header: [String] = []

    @Option(help: ArgumentHelp("Short for --header 'Cookie: VALUE'.", valueName: "value"))
    var cookie: String?

    @Option(help: ArgumentHelp("Short for --header 'Origin: URL'.", valueName: "url"))
    var origin: String?
}

struct TLSFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trust these certificate authorities (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(
        help: ArgumentHelp("The client certificate to present to the server (PEM).", valueName: "file"),
        completion: .file())
    var clientCertificate: String?

    @Option(
        help: ArgumentHelp("The private key of the client certificate (PEM).", valueName: "file"), completion: .file())
    var clientKey: String?

    @Flag(help: "Accept any TLS certificate from the server.")
    var acceptAnyCertificate = false

    func options(_ problems: inout [InputProblem]) -> TLSOptions {
        TLSOptions(
            authorities: ca, certificate: clientCertificate, key: clientKey,
            acceptsAnyCertificate: acceptAnyCertificate, &problems)
    }
}

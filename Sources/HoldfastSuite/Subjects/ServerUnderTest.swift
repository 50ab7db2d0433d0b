/// A server to test: its address or start command, its declared profiles, and the credentials the suite may use.
///
/// Each property is an option of the command `conformance server`; its description names the option, and so do
/// messages.
///
/// ```swift
/// var mine = ServerUnderTest(start: "my-server --port {port} --data {data}")
/// mine.profiles = ["core", "sync"]
/// mine.tokens = ["secret-of-one", "secret-of-another"]
/// ```
public struct ServerUnderTest: Sendable {
    /// The address of its WebSocket, such as `ws://127.0.0.1:8080/ws`; may be left out of a server that is started.
    public var url: String?
    /// The command that starts it, taken apart as a shell does (`--start`).
    ///
    /// `{port}` in it is a free port, `{data}` a fresh folder, `{push}` and `{model}` the addresses of the suite's push
    /// service and model endpoint; the same are in HOLDFAST_PORT, HOLDFAST_DATA, HOLDFAST_PUSH_URL and HOLDFAST_MODEL_URL.
    /// Only a server that the suite starts can be killed, and only so can it prove that answers are stored in time.
    public var start: String?
    /// The base URL of its REST paths, if it differs from the host and port of its WebSocket (`--http`).
    public var http: String?
    /// The profiles it declares; `core` when empty, or those of the subject file (`--profile`).
    public var profiles: [String] = []
    /// The tokens of the principals p1, p2 and so on (`--token`); scenarios of as many principals run at once.
    public var tokens: [String] = []
    /// Variables of the environment that hold tokens of further principals (`--token-env`).
    public var tokenVariables: [String] = []
    /// Files whose first lines are tokens of further principals (`--token-file`).
    public var tokenFiles: [String] = []
    /// Commands that print tokens of further principals, asked again when these may have expired (`--token-command`).
    public var tokenCommands: [String] = []
    /// The device tokens that it knows, each as `principal=token` (`--device`).
    public var devices: [String] = []
    /// Its dialect: a built-in name, or the path of a dialect file (`--dialect`).
    public var dialect: String?
    /// Whether its agent obeys scripts in the prompt (`--scripted-agent`).
    public var hasScriptedAgent = false
    /// A subject file, which the other properties override (`--subject`).
    public var subjectFile: String?
    /// The tiers of scenarios to perform; all that its agent allows when empty (`--tier`).
    public var tiers: [Int] = []
    /// Variables for the started server, each as `NAME=VALUE` (`--env`).
    public var environment: [String] = []
    /// The text that the started server prints once it accepts connections (`--ready`).
    public var ready: String?
    /// Where the started server stores; a temporary folder when nil (`--data`).
    public var data: String?
    /// How often each proof kills the started server; fewer than 20 prove nothing (`--kills`).
    public var kills = 20
    /// Whether the scenarios that kill, stop and start the server are left out (`--skip-crashes`).
    public var skipsCrashes = false
    /// Whether clauses that the set-up cannot show count as untested (`--strict`).
    public var isStrict = false
    /// How many seconds a server that is started elsewhere may take to come up (`--wait`).
    public var wait = 0
    /// The most seconds that a scenario waits because the server told so (`--patience`).
    public var patience = 20
    /// Headers of every upgrade and request, each as `Name: value` (`--header`); no transcript shows them.
    public var headers: [String] = []
    /// The cookie of every upgrade and request (`--cookie`).
    public var cookie: String?
    /// The origin of every upgrade and request (`--origin`).
    public var origin: String?
    /// A PEM file with the certificate authorities to trust instead of the system's (`--ca`).
    public var certificateAuthorities: String?
    /// The PEM file of the certificate that the suite shows the server (`--client-certificate`).
    public var clientCertificate: String?
    /// The PEM file of the key of that certificate (`--client-key`).
    public var clientKey: String?
    /// Whether any TLS certificate will do (`--accept-any-certificate`).
    public var acceptsAnyCertificate = false
    /// Where the suite serves the model that the agent asks, as `host:port`, for a server that was configured with it
    /// (`--model-endpoint`).
    public var modelEndpoint: String?
    /// Where the suite is the push service, as `host:port`, over TLS where `,tls` follows (`--push-sink`).
    public var pushSink: String?
    /// Whether the push service speaks TLS (`--push-tls`).
    public var pushSpeaksTLS = false
    /// The file that the certificate of the push service is written to (`--push-certificate`).
    public var pushCertificate: String?

    /// The program whose reference server is tested; it overrides the other properties.
    package var reference: String?
    /// The defects and variations of the reference server.
    package var defects: [String] = []
    package var variations: [String] = []
    /// How many principals the reference server has under load; nil for a suite.
    var principalsUnderLoad: Int?

    /// A server that runs, by the address of its WebSocket.
    public init(url: String) { self.url = url }

    /// A server that the suite starts, ends and starts again.
    public init(start command: String) { start = command }

    package init() {}
}

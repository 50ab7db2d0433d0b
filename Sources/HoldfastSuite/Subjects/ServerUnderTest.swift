/// A server to test: its address or start command, its declared profiles, and the credentials the suite may use.
///
/// Each property is an option of `conformance server`; its description and messages about it name the option.
///
/// ```swift
/// var mine = ServerUnderTest(start: "my-server --port {port} --data {data}")
/// mine.profiles = ["core", "sync"]
/// mine.tokens = ["secret-of-one", "secret-of-another"]
/// ```
public struct ServerUnderTest: Sendable {
    /// The address of its WebSocket, such as `ws://127.0.0.1:8080/ws`; optional if the suite starts the server.
    public var url: String?
    /// The command that starts it, split as by a shell (`--start`).
    ///
    /// `{port}` in it is a free port, `{data}` a fresh folder, `{push}` and `{model}` the addresses of the suite's push
    /// service and model endpoint; HOLDFAST_PORT, HOLDFAST_DATA, HOLDFAST_PUSH_URL and HOLDFAST_MODEL_URL hold the
    /// same. Only a server that the suite starts can be killed, and only kills prove that it stores answers in time.
    public var start: String?
    /// The base URL of its REST paths, if it differs from the host and port of its WebSocket (`--http`).
    public var http: String?
    /// The profiles it declares (`--profile`); if empty, those of the subject file, or else those in its greeting.
    public var profiles: [String] = []
    /// The tokens of the principals p1, p2 and so on (`--token`); more principals let more scenarios run at once.
    public var tokens: [String] = []
    /// Variables of the environment that hold tokens of further principals (`--token-env`).
    public var tokenVariables: [String] = []
    /// Files whose first lines are tokens of further principals (`--token-file`).
    public var tokenFiles: [String] = []
    /// Commands that print tokens of further principals, run again when these may have expired (`--token-command`).
    public var tokenCommands: [String] = []
    /// The device tokens known to the server, each as `principal=token` (`--device`).
    public var devices: [String] = []
    /// Its dialect: a built-in name, or the path of a dialect file (`--dialect`).
    public var dialect: String?
    /// Whether its agent follows scripts in the prompt (`--scripted-agent`).
    public var hasScriptedAgent = false
    /// A subject file, which the other properties override (`--subject`).
    public var subjectFile: String?
    /// The tiers of scenarios to perform; empty for all that its agent allows (`--tier`).
    public var tiers: [Int] = []
    /// Variables for the started server, each as `NAME=VALUE` (`--env`).
    public var environment: [String] = []
    /// The text that the started server prints once it accepts connections (`--ready`).
    public var ready: String?
    /// The data folder of the started server; nil for a temporary one (`--data`).
    public var data: String?
    /// The number of kills for each proof; fewer than 20 prove nothing (`--kills`).
    public var kills = 20
    /// Whether the scenarios that kill, stop and start the server are excluded (`--skip-crashes`).
    public var skipsCrashes = false
    /// Whether clauses that the setup cannot test count as untested (`--strict`).
    public var isStrict = false
    /// The seconds that a server started elsewhere may take to become ready (`--wait`).
    public var wait = 0
    /// The maximum time in seconds that a scenario waits when the server announces a delay (`--patience`).
    public var patience = 20
    /// Headers of every upgrade and request, each as `Name: value` (`--header`); no transcript shows them.
    public var headers: [String] = []
    /// The cookie of every upgrade and request (`--cookie`).
    public var cookie: String?
    /// The origin of every upgrade and request (`--origin`).
    public var origin: String?
    /// A PEM file with the certificate authorities to trust instead of the system's (`--ca`).
    public var certificateAuthorities: String?
    /// The PEM file of the certificate that the suite presents to the server (`--client-certificate`).
    public var clientCertificate: String?
    /// The PEM file of the key of that certificate (`--client-key`).
    public var clientKey: String?
    /// Whether to accept any TLS certificate (`--accept-any-certificate`).
    public var acceptsAnyCertificate = false
    /// The address at which the suite serves the model, as `host:port`, for a server that was configured with it
    /// (`--model-endpoint`).
    public var modelEndpoint: String?
    /// The address of the suite's own push service, as `host:port`, over TLS if `,tls` follows (`--push-sink`).
    public var pushSink: String?
    /// Whether the push service speaks TLS (`--push-tls`).
    public var pushSpeaksTLS = false
    /// The file for the certificate of the push service (`--push-certificate`).
    public var pushCertificate: String?

    /// The program whose reference server is tested; it overrides the other properties.
    package var reference: String?
    package var defects: [String] = []
    package var variations: [String] = []
    /// The number of principals of the reference server in a load test; nil in other runs.
    var principalsUnderLoad: Int?

    /// A running server, by the address of its WebSocket.
    public init(url: String) { self.url = url }

    /// A server that the suite starts, ends and restarts.
    public init(start command: String) { start = command }

    package init() {}
}

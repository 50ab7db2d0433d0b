import HoldfastSmallFoundation

/// Your app, as the conformance suite drives it.
///
/// The suite plays the server, the system and the person: it launches the app against a server of its own, types messages,
/// sends it to the background, takes the network away, taps notifications, and asks what the screen shows. You connect these
/// to your app, and one call does the rest:
///
/// ```swift
/// await drive(MyDriver())                        // conformance client -- path/to/my-driver
/// await drive(MyDriver(), connectingTo: runner)  // conformance client --listen HOST:PORT, on a phone
/// ```
///
/// Three things make a good driver:
/// * **Every function returns as soon as the app has taken the event**, as a tap on the screen would. None waits for the
///   server: how the app gets there is what the suite watches. An answer is due within 10 seconds.
/// * **Use the app's own doors**: what the "send" button calls, what the system calls on return to the foreground. A driver
///   that repairs what the app forgets makes the app pass.
/// * **`state` tells what a person would see**, from the same model the screen is drawn from.
///
/// What an app or a platform cannot do throws ``Unsupported``: the scenarios that need it are left out, and the clauses that
/// need them are reported as untested, by name. That is what the functions do that you leave out. Any other error is
/// reported as a failure of the driver.
public protocol DrivenClient: Sendable {
    /// Who the app is and what it claims to do.
    var about: AboutClient { get async }

    /// Starts the app; returns when it runs, connected or not.
    func launch(_ launch: Launch) async throws

    /// The person types a text and sends it, in the session on the screen; returns when the app has taken it.
    func send(_ text: String) async throws

    /// The person sends the message of this key again, which the screen shows as failed: what its "try again" does.
    func sendAgain(_ clientMessageId: String) async throws

    /// What the app shows at this moment.
    func state() async throws -> ClientState

    /// The system sends the app to the background.
    func background() async throws

    /// The system brings the app back to the foreground.
    func foreground() async throws

    /// The system says that there is no network; the suite makes its server unreachable at the same time.
    func networkDown() async throws

    /// The system says that the network is back.
    func networkUp() async throws

    /// A notification arrives while the app is in the foreground.
    func receivePush(_ payload: PushPayload) async throws

    /// The person taps a notification; from the background this also brings the app to the foreground.
    func openPush(_ payload: PushPayload) async throws

    /// The person goes to a session; nil for a new conversation.
    func selectSession(_ sessionId: String?) async throws

    /// The system ends the app: nothing in memory survives, what is stored does.
    func quit() async throws

    /// The app crashes: it stores nothing any more, and nothing in memory survives.
    ///
    /// Where the app runs in the driver's program, leave the body empty: `drive(_:)` ends the program as soon as it has
    /// answered. Elsewhere kill the app.
    func crash() async throws
}

extension DrivenClient {
    /// Not supported, until you say how: throws ``Unsupported``.
    public func sendAgain(_ clientMessageId: String) async throws {
        throw Unsupported("the driver has no sendAgain")
    }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func background() async throws { throw Unsupported("the driver has no background") }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func foreground() async throws { throw Unsupported("the driver has no foreground") }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func networkDown() async throws { throw Unsupported("the driver has no networkDown") }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func networkUp() async throws { throw Unsupported("the driver has no networkUp") }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func receivePush(_ payload: PushPayload) async throws { throw Unsupported("the driver has no receivePush") }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func openPush(_ payload: PushPayload) async throws { throw Unsupported("the driver has no openPush") }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func selectSession(_ sessionId: String?) async throws {
        throw Unsupported("the driver has no selectSession")
    }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func quit() async throws { throw Unsupported("the driver has no quit") }

    /// Not supported, until you say how: throws ``Unsupported``.
    public func crash() async throws { throw Unsupported("the driver has no crash") }
}

/// How the app is to start.
public struct Launch: Sendable, Equatable {
    /// The WebSocket of the suite's server, such as `ws://127.0.0.1:49152/ws`; another one for each scenario.
    public var url: URL
    /// The base of its REST paths, such as `http://127.0.0.1:49152`, to which `/api/sessions` is added.
    public var http: URL
    /// The credential of the person, for `auth` and for the bearer header of requests.
    public var token: String
    /// By how much the app divides its own timers, from 1: at 10 a poll every 5 s becomes one every 0.5 s.
    ///
    /// Times the server tells, such as `retryAfterMs`, are never divided.
    public var timeScale: Double
    /// Whether the app starts as after its installation, with nothing stored; otherwise with what it stored before its end.
    public var fresh: Bool
    /// The tapped notification that starts it; nil for a start by its icon.
    public var opened: PushPayload?
    /// A folder that belongs to this scenario, for what the app stores; nil on a device.
    public var dataFolder: URL?

    /// All that a start needs.
    public init(
        url: URL, http: URL, token: String, timeScale: Double = 1, fresh: Bool = true, opened: PushPayload? = nil,
        dataFolder: URL? = nil
    ) {
        (self.url, self.http, self.token, self.timeScale) = (url, http, token, timeScale)
        (self.fresh, self.opened, self.dataFolder) = (fresh, opened, dataFolder)
    }
}

/// Who an app is and what it claims to do, as it answers the suite's greeting.
public struct AboutClient: Sendable, Equatable {
    /// The name by which reports call the app.
    public var name: String
    /// Which build of the app it is, for reports.
    public var version: String?
    /// What it declares: `client-core`, `client-sync`, `client-push`; nil leaves that to whoever runs the suite.
    public var profiles: [String]?
    /// The commands that throw ``Unsupported``, where that is known before: what needs them is not even begun.
    public var unsupported: [String]

    /// What an app says of itself; a name is enough.
    public init(name: String, version: String? = nil, profiles: [String]? = nil, unsupported: [String] = []) {
        (self.name, self.version, self.profiles, self.unsupported) = (name, version, profiles, unsupported)
    }
}

/// Thrown for what an app, its platform or its driver cannot do at all.
///
/// The suite leaves out what needs it and names the clauses that stay untested for it; they never count as passed.
public struct Unsupported: Error, Sendable, Equatable, CustomStringConvertible {
    /// Why, in words for the report.
    public let description: String

    /// Says why, in words for the report.
    public init(_ why: String) { description = why }
}

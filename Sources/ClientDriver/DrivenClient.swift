import HoldfastSmallFoundation

/// Your app, as the conformance suite drives it.
///
/// The suite plays the server, the system and the user: it launches the app against its own server, types messages,
/// sends it to the background, takes the network away, taps notifications, and reads the screen. You connect these
/// functions to your app, and one call does the rest:
///
/// ```swift
/// await drive(MyDriver())                        // conformance client -- path/to/my-driver
/// await drive(MyDriver(), connectingTo: runner)  // conformance client --listen HOST:PORT, on a phone
/// ```
///
/// Three things make a good driver:
/// * **Every function returns as soon as the app has taken the event**, as a tap on the screen would. None waits for
///   the server, because the suite watches how the app gets there. Answer within 10 seconds.
/// * **Use the app's own entry points**: what the "send" button calls, what the system calls on return to the
///   foreground. A driver that repairs what the app forgets makes the app pass.
/// * **`state` returns what a user would see**, from the same model that the screen is drawn from.
///
/// Throw ``Unsupported`` for anything an app or a platform cannot do: the suite skips the scenarios that need it, and
/// reports their clauses as untested. The default implementations do that. Any other error is reported as a failure of
/// the driver.
public protocol DrivenClient: Sendable {
    /// The app's name and declared profiles.
    var about: AboutClient { get async }

    /// Starts the app; returns once it runs, connected or not.
    func launch(_ launch: Launch) async throws

    /// The user types and sends a text in the visible session; returns once the app has taken it.
    func send(_ text: String) async throws

    /// The user resends the failed message with this key, as "try again" does.
    func sendAgain(_ clientMessageId: String) async throws

    /// The current screen.
    func state() async throws -> ClientState

    /// The system sends the app to the background.
    func background() async throws

    /// The system brings the app back to the foreground.
    func foreground() async throws

    /// The system reports that the network is gone; the suite makes its server unreachable at the same time.
    func networkDown() async throws

    /// The system reports that the network is back.
    func networkUp() async throws

    /// A notification arrives while the app is in the foreground.
    func receivePush(_ payload: PushPayload) async throws

    /// The user taps a notification, which also brings the app to the foreground.
    func openPush(_ payload: PushPayload) async throws

    /// The user opens a session; nil for a new conversation.
    func selectSession(_ sessionId: String?) async throws

    /// The system ends the app: memory is lost, storage stays.
    func quit() async throws

    /// The app crashes: it stores nothing more, and memory is lost.
    ///
    /// If the app runs inside the driver's program, leave the body empty: `drive(_:)` ends the program after the
    /// answer. Otherwise kill the app.
    func crash() async throws
}

extension DrivenClient {
    /// Throws ``Unsupported``.
    public func sendAgain(_ clientMessageId: String) async throws {
        throw Unsupported("the driver does not support sendAgain")
    }

    /// Throws ``Unsupported``.
    public func background() async throws { throw Unsupported("the driver does not support background") }

    /// Throws ``Unsupported``.
    public func foreground() async throws { throw Unsupported("the driver does not support foreground") }

    /// Throws ``Unsupported``.
    public func networkDown() async throws { throw Unsupported("the driver does not support networkDown") }

    /// Throws ``Unsupported``.
    public func networkUp() async throws { throw Unsupported("the driver does not support networkUp") }

    /// Throws ``Unsupported``.
    public func receivePush(_ payload: PushPayload) async throws {
        throw Unsupported("the driver does not support receivePush")
    }

    /// Throws ``Unsupported``.
    public func openPush(_ payload: PushPayload) async throws {
        throw Unsupported("the driver does not support openPush")
    }

    /// Throws ``Unsupported``.
    public func selectSession(_ sessionId: String?) async throws {
        throw Unsupported("the driver does not support selectSession")
    }

    /// Throws ``Unsupported``.
    public func quit() async throws { throw Unsupported("the driver does not support quit") }

    /// Throws ``Unsupported``.
    public func crash() async throws { throw Unsupported("the driver does not support crash") }
}

/// The parameters of a launch.
public struct Launch: Sendable, Equatable {
    /// The WebSocket URL of the suite's server, such as `ws://127.0.0.1:49152/ws`; it differs between scenarios.
    public var url: URL
    /// The base URL of the REST paths, such as `http://127.0.0.1:49152`, without `/api/sessions`.
    public var http: URL
    /// The user's access token, for `auth` and for the bearer header of requests.
    public var token: String
    /// The factor, at least 1, by which the app divides its timers: at 10, a poll every 5 s becomes one every 0.5 s.
    ///
    /// Do not divide times from the server, such as `retryAfterMs`.
    public var timeScale: Double
    /// Whether the app starts as newly installed, with nothing stored; otherwise it keeps its storage.
    public var fresh: Bool
    /// The tapped notification that launches the app; nil for a launch from its icon.
    public var opened: PushPayload?
    /// A folder for the app's storage that belongs to this scenario; nil on a device.
    public var dataFolder: URL?

    /// Creates the parameters of a launch.
    public init(
        url: URL, http: URL, token: String, timeScale: Double = 1, fresh: Bool = true, opened: PushPayload? = nil,
        dataFolder: URL? = nil
    ) {
        (self.url, self.http, self.token, self.timeScale) = (url, http, token, timeScale)
        (self.fresh, self.opened, self.dataFolder) = (fresh, opened, dataFolder)
    }
}

/// The app's answer to the suite's greeting: its name and what it declares.
public struct AboutClient: Sendable, Equatable {
    /// The app's name in reports.
    public var name: String
    /// The app's build, for reports.
    public var version: String?
    /// The declared profiles: `client-core`, `client-sync`, `client-push`; nil to let the command line decide.
    public var profiles: [String]?
    /// Commands known to throw ``Unsupported``; scenarios that need them are skipped at once.
    public var unsupported: [String]

    /// Creates the answer; only a name is required.
    public init(name: String, version: String? = nil, profiles: [String]? = nil, unsupported: [String] = []) {
        (self.name, self.version, self.profiles, self.unsupported) = (name, version, profiles, unsupported)
    }
}

/// Thrown for anything an app, its platform or its driver cannot do at all.
///
/// The suite skips the scenarios that need it, and reports their clauses as untested, never as passed.
public struct Unsupported: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, for the report.
    public let description: String

    /// Creates the error with a reason for the report.
    public init(_ why: String) { description = why }
}

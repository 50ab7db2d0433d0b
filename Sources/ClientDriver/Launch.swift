import HoldfastSmallFoundation

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

/// Where notices go, and for which devices.
public struct PushService: Sendable {
    /// The base URL of the push service, such as `https://api.push.apple.com`.
    public var url: String
    /// The app that is meant.
    public var topic: String
    /// Device tokens, each with the principal whose device it is.
    public var devices: [(principal: String, token: String)]

    /// A push service for an app.
    public init(url: String, topic: String, devices: [(principal: String, token: String)]) {
        self.url = url
        self.topic = topic
        self.devices = devices
    }
}

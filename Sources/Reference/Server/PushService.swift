/// Where notices go, and for which devices.
package struct PushService: Sendable {
    /// The base URL of the push service, such as `https://api.push.apple.com`.
    package var url: String
    /// The app that is meant.
    package var topic: String
    /// Device tokens, each with the principal whose device it is.
    package var devices: [(principal: String, token: String)]

    package init(url: String, topic: String, devices: [(principal: String, token: String)]) {
        (self.url, self.topic, self.devices) = (url, topic, devices)
    }
}

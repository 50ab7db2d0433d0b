/// What passed through a proxy, counted.
public struct ProxyTallies: Sendable, Equatable {
    /// WebSockets asked for.
    public var connections = 0
    /// Requests over HTTP.
    public var requests = 0
    /// Messages on WebSockets, both ways.
    public var messages = 0
    /// Events written.
    public var events = 0
    /// Faults brought about.
    public var faults = 0
    /// Messages, bodies and connections that passed without being looked at.
    public var unseen = 0
    /// Events that came faster than they could be judged, and went unjudged.
    public var unjudged = 0
}

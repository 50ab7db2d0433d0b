/// What passed through a proxy, counted.
package struct ProxyTallies: Sendable, Equatable {
    /// WebSockets asked for.
    package var connections = 0
    /// Requests over HTTP.
    package var requests = 0
    /// Messages on WebSockets, both ways.
    package var messages = 0
    /// Events written.
    package var events = 0
    /// Faults brought about.
    package var faults = 0
    /// Messages, bodies and connections that passed without being looked at.
    package var unseen = 0
    /// Events that came faster than they could be judged, and went unjudged.
    package var unjudged = 0
}

import Holdfast
import JSON
import Transcript

/// Checks of peers that are silent, dead or only idle.
extension LIVE {
    /// LIVE-3: "A server MUST end a connection whose peer sent nothing, not even a WebSocket pong, for two heartbeats,
    /// within one further heartbeat".
    ///
    /// Once for each connection on which the stage stopped answering pings and sent nothing afterwards, while it went on
    /// reading. The bound `close` is added: it lies between the reason for an end and what is seen of it.
    static func silentPeersAreLetGo(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.pauses.isEmpty {
            guard let connected = connection.connected, let mute = mutes(on: index, history).first,
                let heartbeat = heartbeat(of: connection)
            else { continue }
            let bound = heartbeat * 3 + history.timeouts.close
            let signs = signs(on: index, history).filter { $0 > max(connected, mute) }
            for (last, next) in zip([max(connected, mute)] + signs, signs.map(Optional.some) + [nil]) {
                if let late = history.deadline(after: last, within: bound, on: index), late <= next ?? .max {
                    violate("it stayed open", at: [last, late])
                    break
                }
                guard next == nil, connection.wasEndedByServer, let ending = connection.ending, ending.event > last,
                    !ending.isAtWill, !history.wasStopped(between: last, and: ending.event)
                else { continue }
                if history.patience(from: last, to: ending.event) <= bound.microseconds {
                    evidence.keep()
                } else {
                    violate("its end, later", at: [last, ending.event])
                }
            }
        }
        func violate(_ actual: String, at events: [Int]) {
            evidence.violate(
                "a connection whose peer fell silent was kept", expected: "its end within three heartbeats of silence",
                actual: actual, at: events)
        }
    }

    /// LIVE-4: "A server MUST NOT end a connection for silence while its peer answers WebSocket pings or sends frames".
    ///
    /// Once for each connection that lived on after more than three heartbeats in which the stage sent nothing but pings and
    /// pongs, never two heartbeats apart; and for each that the server ended after a heartbeat of that kind.
    static func idlePeersAreKept(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.pauses.isEmpty {
            guard let connected = connection.connected, let heartbeat = heartbeat(of: connection)?.microseconds,
                mutes(on: index, history).isEmpty,
                !history.hostileFrames.contains(where: { $0.frame.connection == index })
            else { continue }
            let texts = connection.sent.map(\.event).filter { $0 > connected }
            let signs = signs(on: index, history).filter { $0 >= connected }
            func silence(upTo event: Int) -> Int {
                let last = max(connected, signs.last { $0 < event } ?? 0)
                return history.time(of: event) - history.time(of: last)
            }
            if connection.wasEndedByServer, let ending = connection.ending, ending.event > connected {
                let spoke = max(connected, texts.last { $0 < ending.event } ?? 0)
                guard !ending.isExcused, !isGoingAway(ending),
                    !history.wasStopped(between: connected, and: ending.event),
                    history.time(of: ending.event) - history.time(of: spoke) >= heartbeat,
                    signs.contains(where: { $0 > spoke && $0 < ending.event }),
                    silence(upTo: ending.event) < 2 * heartbeat
                else { continue }
                let last = signs.last { $0 < ending.event } ?? connected
                evidence.violate(
                    "a connection was ended although its peer answered", expected: "it stays open",
                    actual: "the server ended it", at: [last, ending.event])
                continue
            }
            // A span without frames, from one to the next, that pings and pongs held together.
            let ends = texts + [connected]
            let received = connection.received
            let spans = ends.sorted().compactMap { start -> (Int, Int)? in
                let end = received.boundary { isLater($0.event, start) }
                return end < received.endIndex ? (start, received[end].event) : nil
            }
            func isLater(_ event: Int, _ start: Int) -> Bool {
                history.time(of: event) - history.time(of: start) > 3 * heartbeat
            }
            let isKept = spans.contains { start, end in
                let within = signs.filter { $0 > start && $0 < end && !texts.contains($0) }
                let first = texts.first { $0 > start } ?? end
                guard isLater(min(first, end), start), !within.isEmpty else { return false }
                let steps = zip([start] + within, within + [min(first, end)])
                return steps.allSatisfy { history.time(of: $1) - history.time(of: $0) < 2 * heartbeat }
            }
            if isKept { evidence.keep() }
        }
    }

    /// A server that goes away says so, and nothing about its peers.
    private static func isGoingAway(_ ending: ObservedConnection.Ending) -> Bool {
        ending.kind == .closed(.fromServer, code: 1001)
    }

    /// The heartbeat that holds on a connection; nil for one that would take longer than a day.
    private static func heartbeat(of connection: ObservedConnection) -> Duration? {
        let told = connection.greeting?["heartbeatSeconds"]?.intValue ?? 30
        return (1...86_400).contains(told) ? .seconds(told) : nil
    }

    /// Every moment at which the stage stopped answering pings.
    private static func mutes(on connection: Int, _ history: Observations) -> [Int] {
        history.events(on: connection).filter {
            if case .act("mute", _) = history.events[$0].kind { true } else { false }
        }
    }

    /// Everything that the stage sent, also pings and pongs of the WebSocket itself.
    private static func signs(on connection: Int, _ history: Observations) -> [Int] {
        history.events(on: connection).filter {
            switch history.events[$0].kind {
            case .text(.toServer, _), .binary(.toServer, _), .ping(.toServer), .pong(.toServer): true
            default: false
            }
        }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

/// A history in the words of a wire: one event a line, as captures show them.
///
/// `A open`, `A open other`, `A refused 401 other`, `A> {…}`, `A< {…}`, `A close 4001`, `A cut {…}`, `A eof`, `1> GET /path` with a body after it, `1< 200 {…}`, `1 failed too_large`, `server kill`, `+60s`.
struct WireHistory {
    let history: History

    init(
        _ text: String, dialect: String, profiles: Set<Profile> = [.core], limits: [String: Int] = [:]
    ) throws {
        let specification = try SourceTree.specification()
        let header = History.Header(
            subject: History.Subject(name: "wire", role: .server, profiles: profiles, limits: limits),
            dialect: try specification.dialect(named: dialect))
        var events: [Event] = []
        var at = 0
        for line in text.split(separator: "\n").map({ $0.drop { $0 == " " } }) where !line.isEmpty {
            if line.hasPrefix("+") {
                at += (Int(line.dropFirst().dropLast()) ?? 0) * 1_000_000
                events.append(Event(at: at, lane: .server, kind: .wait(awaited: "nothing", met: false)))
                continue
            }
            at += 1000
            let parts = line.split(separator: " ", maxSplits: 1)
            let direction = parts[0].last.flatMap { Direction(rawValue: String($0)) }
            let lane = try #require(Lane(String(direction == nil ? parts[0] : parts[0].dropLast())))
            for kind in try Self.kinds(lane, direction, String(parts[1]), dialect: header.dialect) {
                events.append(Event(at: at, lane: lane, kind: kind))
            }
        }
        history = History(header: header, events: events)
    }

    private static func kinds(
        _ lane: Lane, _ direction: Direction?, _ text: String, dialect: Dialect
    ) throws -> [Event.Kind] {
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        switch (lane, direction) {
        case (.connection, let direction?): return [.text(direction, text)]
        case (.exchange, .toServer?):
            return [.request(.init(method: words[0], path: words[1], body: words.count > 2 ? words[2] : nil))]
        case (.exchange, nil): return [.failed(reason: words[1])]
        case (.exchange, _):
            let body = text.split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
            let json = Event.Header(name: "content-type", value: "application/json")
            return [.response(.init(status: try #require(Int(words[0])), headers: [json], body: body))]
        case (.server, _): return [.act(words[0], JSONObject())]
        case (_, nil) where words[0] == "open":
            return [
                .opening(.init(principal: words.count > 1 ? words[1] : "p1", path: dialect.socketPath ?? "/ws")),
                .opened,
            ]
        case (_, nil) where words[0] == "refused":
            let opening = Event.Opening(
                principal: words.count > 2 ? words[2] : "p1", path: dialect.socketPath ?? "/ws")
            return [
                .opening(opening), .refused(status: words.count > 1 ? Int(words[1]) : nil, reason: "no connection"),
            ]
        case (_, nil) where words[0] == "cut":
            return [.act("cut", try #require(JSONParser.value(words[1]).objectValue))]
        case (_, nil) where words[0] == "close":
            return [.close(.fromServer, code: Int(words[1]), reason: "")]
        default: return [.eof(reason: words.dropFirst().joined())]
        }
    }

    /// The verdicts by clause.
    func verdicts() throws -> [String: Verdict] {
        let all = judge(history, under: try SourceTree.specification())
        return Dictionary(all.map { ($0.clause.description, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The clauses of an outcome.
    func clauses(_ outcome: Outcome) throws -> Set<String> {
        Set(try verdicts().filter { $0.value.outcome == outcome }.keys)
    }
}

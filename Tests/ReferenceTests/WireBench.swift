import Holdfast
import HoldfastJSON

@testable import HoldfastReference

/// A server on a bench behind the edge of a dialect: wire texts in, wire texts out.
final class WireBench {
    private static let specification = Result { try Specification(.embedded) }

    let bench: Bench
    let edge: WireEdge
    private var read: [Int: Int] = [:]

    /// The server of a preset, or a healthy one that speaks its dialect.
    init(_ name: String, isBroken: Bool = true, budget: Int? = nil) throws {
        let preset = Preset.all.first { $0.name == name }
        var rules = Bench.rules
        rules.messagesPerMinute = budget
        if isBroken, let preset {
            rules.variations = Set(preset.variations)
        }
        let dialect = try Self.specification.get().dialect(named: name)
        edge = WireEdge(dialect: dialect)
        rules.onlyEpoch = dialect.onlyEpoch
        rules.keepsStream = dialect.onlyEpoch != nil
        rules.hasPages = edge.hasPages
        rules.inexpressibleFrames = edge.inexpressibleFrames
        bench = Bench(rules, defects: isBroken ? Set(preset?.defects ?? []) : [])
    }

    /// Opens a socket whose upgrade named a principal, or none.
    func open(admitted: String? = nil) -> Int {
        let socket = bench.openOnly(admitted: admitted)
        for received in edge.silentGreeting { bench.feed(.received(socket: socket, received)) }
        return socket
    }

    /// Sends a text; returns the frames it brought on that socket.
    @discardableResult
    func say(_ text: String, on socket: Int) -> [JSONValue] {
        for received in edge.heard(.text(text)) { bench.feed(.received(socket: socket, received)) }
        return news(on: socket)
    }

    /// What a message of the wire is to the core.
    func heard(_ received: Input.Received) -> [Input.Received] { edge.heard(bench.server.changed(received)) }

    /// What came on a socket since the last look.
    @discardableResult
    func news(on socket: Int) -> [JSONValue] {
        let all = bench.said.compactMap { line -> String? in
            guard line.hasPrefix("\(socket)< {") else { return nil }
            return String(line.dropFirst("\(socket)< ".count))
        }
        let new = all.dropFirst(read[socket] ?? 0)
        read[socket] = all.count
        return new.compactMap(edge.encoded(_:)).compactMap { try? JSONParser.value($0) }
    }

    /// Asks over REST, in wire form; nil when it is none of the protocol.
    func ask(_ method: String, _ target: String, token: String? = "t1", body: JSONValue? = nil) -> RESTAnswer? {
        let parts = target.split(separator: "?", maxSplits: 1)
        let wire = RESTRequest(
            method: method, path: String(parts[0]), query: parts.count == 2 ? String(parts[1]) : nil, token: token,
            body: body.map { Array($0.text().utf8) } ?? [])
        guard let asked = edge.canonical(wire) else { return edge.notFound(at: wire.path) }
        let text = String(decoding: asked.body, as: UTF8.self)
        let answer = bench.ask(
            asked.method, asked.path, query: asked.query, token: token, body: try? JSONParser.value(text))
        return answer.map { edge.encoded($0, to: asked) }
    }

    /// The body of an answer in wire form.
    func body(_ method: String, _ target: String, body: JSONValue? = nil) -> JSONValue? {
        ask(method, target, body: body).flatMap { try? JSONParser.value($0.body) }
    }
}

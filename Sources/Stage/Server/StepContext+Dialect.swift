import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

struct WireMessage: Sendable, Equatable {
    var text: String
    /// The same without credentials.
    var shown: String

    init(_ text: String, shown: String? = nil) {
        self.text = text
        self.shown = shown ?? text
    }
}

extension StepContext {
    var dialect: Dialect { subject.dialect }

    /// The wire form of a canonical frame of the stage; empty if the dialect expresses it without a message.
    /// - Throws: ``StepEnd/unmet(_:)`` if the wire cannot express it.
    func wire(_ frame: JSONValue) throws -> [WireMessage] {
        switch dialect.encode(frame, sentBy: .client) {
        case .frame(let wire): return [WireMessage(wire.text(), shown: shown(frame))]
        case .nothing: return []
        case .inexpressible(let reason): throw StepEnd.unmet("\(pointer): \(reason)")
        }
    }

    /// A frame that a scenario spells out, often an invalid one, as a text with the same meaning on the wire.
    ///
    /// An error in the frame must be an error on the wire too, or the answer would not concern the scenario.
    /// - Throws: ``StepEnd/inexpressible(_:)`` if it would mean something else.
    func wire(spelledOut frame: JSONValue) throws -> WireMessage {
        guard !dialect.isCanonical else { return WireMessage(frame.text()) }
        let wire: JSONValue
        switch dialect.encode(frame, sentBy: .client) {
        case .frame(let frame): wire = frame
        case .nothing(let reason), .inexpressible(let reason): throw StepEnd.inexpressible(reason)
        }
        try checkThat(wire, means: frame)
        return WireMessage(wire.text(), shown: shown(frame))
    }

    /// The wire text of a frame with its credential replaced by the owner's name; nil if it has no credential.
    private func shown(_ frame: JSONValue) -> String? {
        guard frame["type"] == "auth", let token = frame["token"]?.stringValue,
            let owner = recorder.redaction.shown(for: token)
        else { return nil }
        var frame = frame
        frame["token"] = .string(owner)
        return if case .frame(let wire) = dialect.encode(frame, sentBy: .client) { wire.text() } else { nil }
    }

    /// A text that a scenario spells out byte by byte, in the same number of pieces, if it means the same on the wire.
    func wire(spelledOut pieces: [[UInt8]]) throws -> [[UInt8]] {
        guard !dialect.isCanonical else { return pieces }
        // Text that is not a JSON object is the same in every dialect.
        guard let text = String(utf8: pieces.joined()),
            let document = try? JSONParser.document(text), let type = document.root["type"]?.stringValue
        else { return pieces }
        // Rewriting a text would lose its own flaws.
        if document.flaws.isEmpty, performer.schemas.isSentByClients(type), view(of: document.root) != document.root {
            return ConnectionLane.pieces(of: try wire(spelledOut: document.root).text, count: pieces.count)
        }
        try checkThat(document.root, means: document.root)
        return pieces
    }

    /// Makes sure that the judge sees in a wire frame exactly what a scenario spelled out, including its error.
    private func checkThat(_ wire: JSONValue, means frame: JSONValue) throws {
        let type = frame["type"]?.stringValue
        let isKnown = type.map(performer.schemas.isSentByClients) ?? false
        guard let seen = view(of: wire), isKnown == seen["type"]?.stringValue.map(performer.schemas.isSentByClients),
            !isKnown || seen["type"] == frame["type"]
        else { throw StepEnd.inexpressible("the dialect \(dialect.name) reads '\(type ?? "")' as something else") }
        if isKnown, let type, performer.schemas.accepts(frame, as: type) != performer.schemas.accepts(seen, as: type) {
            throw StepEnd.inexpressible("the dialect \(dialect.name) cannot say what is wrong with this '\(type)'")
        }
    }

    /// The judge's view of a wire frame of the stage; nil if the dialect ignores it.
    private func view(of wire: JSONValue) -> JSONValue? {
        dialect.meaning(of: wire, sentBy: .client).map {
            $0["type"] == "chat" ? $0.adding(["clientMessageId": "made"]).value : $0
        }
    }

    /// Makes sure that a request that a scenario spells out means the same on the wire.
    /// - Throws: ``StepEnd/inexpressible(_:)`` if it would mean something else.
    func checkWire(_ method: String, _ path: String, _ body: String?) throws {
        guard !dialect.isCanonical else { return }
        guard let wire = dialect.encode(RESTRequest(method: method, path: path, body: body)) else {
            throw StepEnd.inexpressible(absence(of: method, path))
        }
        guard let body, let value = try? JSONParser.value(body), value.objectValue != nil else { return }
        let read = dialect.decode(wire)?.body.flatMap { try? JSONParser.value($0) }
        let seen = read?.adding(["clientMessageId": "made"]).value
        let isSame =
            performer.schemas.accepts(value, as: "chatRequest")
            == seen.map { performer.schemas.accepts($0, as: "chatRequest") }
        guard path != "/api/chat" || isSame else {
            throw StepEnd.inexpressible("the dialect \(dialect.name) cannot say what is wrong with this body")
        }
    }

    /// The reason why a request has no wire form; without the query, which may contain a credential.
    func absence(of method: String, _ path: String) -> String {
        "the dialect \(dialect.name) cannot ask \(method) \(path.prefix { $0 != "?" }) like this"
    }
}

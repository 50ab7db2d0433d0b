import Holdfast
import HoldfastJSON
import HoldfastTranscript
import TestSupport
import Testing

/// The canonical view of a history, and the way back.
@Suite struct DialectViewTests {
    private func history(_ dialect: String, _ events: [(Lane, Event.Kind)]) throws -> History {
        var header = header()
        header.dialect = try SourceTree.specification().dialect(named: dialect)
        return History(
            header: header,
            events: events.enumerated().map { Event(at: $0.offset * 1000, lane: $0.element.0, kind: $0.element.1) })
    }

    private let a = Lane.connection("A")

    @Test func `the profiles that a greeting states are read through its dialect`() throws {
        let postal = try Dialect(SourceTree.text("Tests/Examples/dialects/postal.json"), file: "postal.json")
        func declared(_ texts: String..., earlier: Set<Profile>? = nil) throws -> Set<Profile> {
            var header = header()
            (header.dialect, header.subject.profiles) = (postal, [.core, .sync, .auth, .push])
            let events = texts.enumerated().map { Event(at: $0.offset, lane: a, kind: .text(.fromServer, $0.element)) }
            var stated = earlier
            return History(header: header, events: events).declaring(&stated).header.subject.profiles
        }
        let greeting = #"{"event":"welcome","data":{"v":1,"socket":"k1","can":["sync","other"],"limits":{}}}"#
        #expect(try declared(greeting) == [.core, .sync])
        #expect(try declared(greeting, greeting.replacing("sync", with: "auth")) == [.core, .sync, .auth])
        #expect(try declared(greeting, earlier: [.auth]) == [.core, .sync, .auth])
        #expect(try declared(earlier: [.auth]) == [.core, .auth])
        #expect(try declared(greeting.replacing(#""sync","other""#, with: "")) == [.core])
        let silent = greeting.replacing(#""can":["sync","other"],"#, with: "")
        #expect(try declared(silent) == [.core, .sync, .auth, .push], "all that the dialect supports")
    }

    @Test func `the dialect travels in the header`() throws {
        let history = try history("adjutant", [(a, .opening(.init()))])
        let text = TranscriptWriter.text(history)
        let read = try TranscriptReader.history(in: text, file: "t.ndjson")
        #expect(read.header == history.header && read.header.dialect.name == "adjutant")
        let canonical = TranscriptWriter.line(header())
        #expect(!canonical.contains("dialect"))
        let bad = text.replacing("\"summary\":", with: "\"sumary\":")
        let problem = #expect(throws: InputProblem.self) { try TranscriptReader.history(in: bad, file: "t.ndjson") }
        #expect(problem?.location.hasPrefix("t.ndjson:1 /dialect") == true)
    }

    @Test func `a canonical history is its own view`() throws {
        let history = try history("canonical", [(a, .opening(.init())), (a, .opened), (a, .text(.fromServer, "{}"))])
        let view = DialectView(history)
        #expect(view.history.events == history.events && view.origins == [0, 1, 2])
    }

    @Test func `what an opened socket stands for is an act, and no frame`() throws {
        let history = try history(
            "nami",
            [
                (a, .opening(.init())), (a, .opened), (a, .text(.fromServer, #"{"type":"tool_use","tool":"x"}"#)),
                (a, .text(.fromServer, #"{"type":"notification"}"#)), (a, .text(.fromServer, #"{"type":"novelty"}"#)),
                (a, .text(.toServer, "null")), (a, .binary(.toServer, [0])),
            ])
        let view = DialectView(history)
        #expect(view.origins == [0, 1, 1, 2, 4, 5, 6])
        #expect(view.history.events[2].kind == .act(DialectView.assumedAct, ["type": "connected"]))
        #expect(view.history.frames[2] == nil && view.history.frames[3]?.type == "toolUse")
        #expect(view.history.frames[3]?.wireBytes == 30)
        #expect(view.history.events[5].kind == history.events[5].kind)
        #expect(view.history.header.dialect.isCanonical)
    }

    @Test func `a greeting that was said is not assumed`() throws {
        let view = DialectView(
            try history("nami", [(a, .opened), (a, .text(.fromServer, #"{"type":"connected"}"#)), (a, .opened)]))
        #expect(view.origins == [0, 1, 2, 2])
        let unseen = DialectView(
            try history("nami", [(a, .text(.toServer, #"{"type":"ping"}"#)), (a, .eof(reason: ""))]))
        #expect(unseen.origins == [0, 0, 1])
        #expect(unseen.history.events[0].kind == .act(DialectView.assumedAct, ["type": "connected"]))
    }

    @Test func `exchanges are translated, and those of no concern left out`() throws {
        let one = Lane.exchange(1)
        let two = Lane.exchange(2)
        func items(_ hasMore: Bool) -> String {
            #"{"success":true,"data":{"items":[],"total":0,"hasMore":\#(hasMore)}}"#
        }
        let history = try history(
            "adjutant",
            [
                (one, .request(.init(method: "GET", path: "/api/messages?agentId=k"))),
                (two, .request(.init(method: "GET", path: "/api/nope"))),
                (two, .response(.init(status: 404, body: "<html>"))),
                (one, .response(.init(status: 200, body: items(false)))),
                (one, .request(.init(method: "GET", path: "/api/messages?agentId=k&limit=2"))),
                (one, .response(.init(status: 200, body: items(true)))),
                (two, .request(.init(method: "GET", path: "/api/nope"))), (two, .failed(reason: "reset")),
            ])
        let view = DialectView(history)
        #expect(view.origins == [0, 3])
        guard case .request(let request) = view.history.events[0].kind,
            case .response(let response) = view.history.events[1].kind
        else {
            Issue.record("\(view.history.events)")
            return
        }
        #expect(request.path == "/api/sessions/k" && response.status == 200)
        #expect(response.body == #"{"total":0,"hasMore":false,"session":{"id":"k","messages":[]}}"#)
    }
}

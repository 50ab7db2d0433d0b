import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct StoredRecordTests {
    static let records: [StoredRecord] = [
        .question(
            .init(
                principal: "p1", session: "s", turn: "t", message: "m", key: "c",
                content: [["type": "text", "text": "line\nend 👋🏽 e\u{301}"]], at: 5)),
        .question(.init(principal: "p1", session: "s", turn: "t", message: "m", key: "c", content: "\u{0} \"", at: 5)),
        .ending(.init(session: "s", turn: "t", ending: .answered(message: "m", text: ""), at: 9_007_199_254_740_993)),
        .ending(.init(session: "s", turn: "t", ending: .failed(code: "agent_failed", text: "no"), at: 7)),
        .remark(.init(principal: "p1", session: "s", turn: "t", message: "m", content: "news", at: 8)),
    ]

    @Test(arguments: records) func `a record is read back as it was written`(_ record: StoredRecord) {
        #expect(StoredRecord(line: Array(record.line.utf8)) == record)
        #expect(!record.line.contains("\n"))
    }

    @Test(arguments: ["", "{}", "null", #"{"record":"dance","session":"s","turn":"t","at":1}"#, "\u{FEFF}{}"])
    func `what is no record reads as none`(_ line: String) {
        #expect(StoredRecord(line: Array(line.utf8)) == nil)
    }

    @Test func `sessions are what their records say, in order`() {
        var store = SessionStore()
        store.apply(
            .question(.init(principal: "p1", session: "s", turn: "t1", message: "m1", key: "c", content: "a", at: 1)))
        store.apply(
            .question(.init(principal: "p1", session: "s", turn: "t2", message: "m2", key: "d", content: "b", at: 2)))
        store.apply(.ending(.init(session: "s", turn: "t1", ending: .answered(message: "m3", text: "A"), at: 3)))
        store.apply(.ending(.init(session: "s", turn: "t2", ending: .failed(code: "agent_failed", text: "B"), at: 4)))
        let session = store.session("s", of: "p1")
        #expect(session?.messages.map(\.id) == ["m1", "m2", "m3"])
        #expect(session?.updatedAt == 3)
        #expect(store.ending(of: "t1", in: "s") == .answered(message: "m3", text: "A"))
        #expect(store.ending(of: "t2", in: "s") == .failed(code: "agent_failed", text: "B"))
        #expect(store.session("s", of: "p2") == nil)
    }

    @Test func `the first ending of a turn is the one that stays`() {
        var store = SessionStore()
        store.apply(
            .question(.init(principal: "p1", session: "s", turn: "t", message: "m", key: "c", content: "a", at: 1)))
        store.apply(.ending(.init(session: "s", turn: "t", ending: .answered(message: "n", text: "A"), at: 2)))
        store.apply(.ending(.init(session: "s", turn: "t", ending: .failed(code: "interrupted", text: ""), at: 3)))
        #expect(store.ending(of: "t", in: "s") == .answered(message: "n", text: "A"))
    }
}

extension StoredRecord.Post {
    fileprivate init(
        principal: String, session: String, turn: String, message: String, key: String = "", content: JSONValue, at: Int
    ) {
        let names = TurnNames(session: session, turn: turn, question: message, key: key)
        self.init(principal: principal, names: names, content: content, at: at)
    }
}

import HoldfastJSON

/// One durable fact; the log of these is everything the server knows.
package enum StoredRecord: Sendable, Equatable {
    /// A question was accepted; it creates its session if there is none yet.
    case question(Post)
    case ending(Ending)
    /// An unsolicited message of the agent and the turn that it started; it creates its session if there is none yet.
    case remark(Post)

    package struct Post: Sendable, Equatable {
        var principal: String
        var names: TurnNames
        /// Text or parts, as the client gave them.
        var content: JSONValue
        /// In microseconds since 1970.
        var at: Int
    }

    package struct Ending: Sendable, Equatable {
        var session: String
        var turn: String
        var ending: TurnEnding
        var at: Int
    }
}

enum TurnEnding: Sendable, Equatable {
    case answered(message: String, text: String)
    case failed(code: String, text: String)
}

extension StoredRecord {
    /// One line of JSON, without the line end.
    var line: String {
        let value =
            switch self {
            case .question(let it):
                JSONValue(members: [
                    "record": "question", "principal": it.principal, "session": it.names.session,
                    "turn": it.names.turn, "message": it.names.question, "key": it.names.key, "content": it.content,
                    "at": it.at,
                ])
            case .ending(let it):
                switch it.ending {
                case .answered(let message, let text):
                    JSONValue(members: [
                        "record": "answer", "session": it.session, "turn": it.turn, "message": message, "text": text,
                        "at": it.at,
                    ])
                case .failed(let code, let text):
                    JSONValue(members: [
                        "record": "failure", "session": it.session, "turn": it.turn, "code": code, "text": text,
                        "at": it.at,
                    ])
                }
            case .remark(let it):
                JSONValue(members: [
                    "record": "remark", "principal": it.principal, "session": it.names.session, "turn": it.names.turn,
                    "message": it.names.question, "text": it.content, "at": it.at,
                ])
            }
        return value.text()
    }

    /// Nil if the line is not a record.
    init?(line: [UInt8]) {
        guard let root = try? JSONParser.value(bytes: line), let session = root.text("session"),
            let at = root["at"]?.intValue
        else { return nil }
        func text(_ name: String) -> String? { root.text(name) }
        func post(_ principal: String, _ turn: String, _ message: String, key: String, _ content: JSONValue) -> Post {
            let names = TurnNames(session: session, turn: turn, question: message, key: key)
            return Post(principal: principal, names: names, content: content, at: at)
        }
        switch (text("record"), text("principal"), text("turn"), text("message"), text("text")) {
        case ("question", let principal?, let turn?, let message?, _):
            guard let content = root["content"], let key = text("key") else { return nil }
            self = .question(post(principal, turn, message, key: key, content))
        case ("answer", _, let turn?, let message?, let words?):
            let ending = TurnEnding.answered(message: message, text: words)
            self = .ending(Ending(session: session, turn: turn, ending: ending, at: at))
        case ("failure", _, let turn?, _, let words?):
            guard let code = text("code") else { return nil }
            self = .ending(Ending(session: session, turn: turn, ending: .failed(code: code, text: words), at: at))
        case ("remark", let principal?, let turn?, let message?, let words?):
            self = .remark(post(principal, turn, message, key: "", .string(words)))
        default: return nil
        }
    }
}

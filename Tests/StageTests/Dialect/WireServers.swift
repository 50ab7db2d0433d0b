import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport
import TestSupport

/// A server of a few lines in the shape of Nami: the key in the query, no greeting, `tool_use`, no nonce.
final class NamiLikeServer: TransportHandler {
    static let key = "nami-secret-key"

    private let sessions = Mutex<[String: [JSONValue]]>([:])

    func admit(_ upgrade: HTTPServerRequest) async -> UpgradeDecision {
        upgrade.target == "/ws?key=\(Self.key)" ? .accept : .refuse(status: 401, body: "Unauthorized")
    }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let id = String(request.target.split(separator: "/").last ?? "")
        guard let messages = sessions.withLock({ $0[id] }) else {
            return .json(#"{"error":"Session not found","code":404}"#, status: 404)
        }
        let session: JSONValue = [
            "id": .string(id), "createdAt": "2026-11-20T21:11:51.151Z", "updatedAt": "2026-11-20T21:11:51.151Z",
            "messages": .array(messages),
        ]
        return .json((["session": session] as JSONValue).text())
    }

    func serve(_ socket: ServerSocket) async {
        for await arrival in socket.messages {
            guard case .text(let text) = arrival.event else { continue }
            let frame = Frame(text)
            switch frame.type {
            case "ping": try? socket.post(text: #"{"type":"pong"}"#)
            case "chat":
                let id = frame.sessionId ?? "5e0e2953"
                guard let last = frame["messages"]?.arrayValue?.last else {
                    try? socket.post(text: #"{"type":"error","error":"Internal error"}"#)
                    continue
                }
                let answer: JSONValue = ["role": "assistant", "content": "echo"]
                sessions.withLock { $0[id, default: []] += [last, answer] }
                try? socket.post(text: #"{"type":"tool_use","tool":"webFetch"}"#)
                try? socket.post(text: #"{"type":"notification","title":"T","body":"B"}"#)
                try? socket.post(
                    text: (["type": "done", "text": "echo", "sessionId": .string(id)] as JSONValue).text())
            default: try? socket.post(text: #"{"type":"error","error":"Unknown message type"}"#)
            }
        }
    }
}

/// A server of a few lines in the shape of Adjutant: it asks for the key, knows no ping, and answers as somebody.
struct AdjutantLikeServer: TransportHandler {
    static let key = "adj-secret-key"

    func admit(_ upgrade: HTTPServerRequest) async -> UpgradeDecision { .accept }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        .json(#"{"success":false,"error":{"code":"NOT_FOUND","message":"no"}}"#, status: 404)
    }

    func serve(_ socket: ServerSocket) async {
        try? socket.post(text: #"{"type":"auth_challenge"}"#)
        for await arrival in socket.messages {
            guard case .text(let text) = arrival.event else { continue }
            let frame = Frame(text)
            switch frame.type {
            case "auth_response" where frame.string("apiKey") == Self.key:
                try? socket.post(
                    text:
                        #"{"type":"connected","sessionId":"039fcb22","lastSeq":0,"serverTime":"2026-11-20T21:09:42.970Z"}"#
                )
            case "sync": try? socket.post(text: #"{"type":"sync_response","missed":[]}"#)
            default:
                try? socket.post(
                    text:
                        #"{"type":"error","code":"unknown_type","message":"Unknown message type: \#(frame.type ?? "")"}"#
                )
            }
        }
    }
}

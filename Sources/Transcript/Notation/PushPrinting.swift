import Holdfast
import HoldfastJSON

/// Writes pushes and their answers in the notation.
struct PushPrinting {
    let names: NotationNames

    /// A push such as `alert(a1 s1)`.
    func request(_ request: Event.Request) -> String {
        let body = request.body.flatMap { try? JSONParser.document($0).root }
        let ids = names.ids([("a", "messageId"), ("s", "sessionId"), ("t", "turnId")], in: body)
        return Spelling.word("alert", Spelling.principal(request.principal) + ids)
    }

    /// An answer such as `410(Unregistered)`.
    func response(_ response: Event.Response) -> String {
        let reason = (try? JSONParser.document(response.body).root)?["reason"]?.stringValue
        return Spelling.word(String(response.status), [reason].compactMap { $0 }.filter(Spelling.isWord))
    }
}

import Holdfast
import HoldfastJSON

struct PushPrinting {
    let names: NotationNames

    func request(_ request: Event.Request) -> String {
        let body = request.body.flatMap { try? JSONParser.document($0).root }
        let ids = names.ids([("a", "messageId"), ("s", "sessionId"), ("t", "turnId")], in: body)
        return Spelling.word("alert", Spelling.principal(request.principal) + ids)
    }

    func response(_ response: Event.Response) -> String {
        let reason = (try? JSONParser.document(response.body).root)?["reason"]?.stringValue
        return Spelling.word(String(response.status), [reason].compactMap(\.self).filter(Spelling.isWord))
    }
}

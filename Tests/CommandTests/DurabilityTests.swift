import Foundation
import HoldfastJSON
import HoldfastTransport
import TestSupport
import Testing

@Suite struct DurabilityTests {
    /// Asks over REST, which answers once the turn is stored, and kills the server on the answer.
    @Test func `what the reference server acknowledged survives a kill`() async throws {
        let folder = try TemporaryDirectory()
        let arguments = ["--data", folder.path + "/data", "--token", "p1=secret"]
        var texts: [String] = []
        for round in 0..<5 {
            let text = "question \(round)"
            let (answered, output) = try await Serving.run(arguments, in: folder) { serving in
                let body = #"{"messages":[{"role":"user","content":"\#(text)"}],"clientMessageId":"c\#(round)"}"#
                let answer = try await request("POST", serving.http() + "/api/chat", body: body)
                try serving.running.kill()
                return answer.status
            }
            #expect(answered == 200)
            #expect(output.status == 128 + 9)
            texts.append(text)
        }
        let expected = texts
        let (stored, _) = try await Serving.run(arguments, in: folder) { serving in
            let list = try await request("GET", serving.http() + "/api/sessions")
            let ids =
                try JSONParser.value(list.text)["sessions"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
            var stored: [String] = []
            for id in ids {
                let session = try await request("GET", serving.http() + "/api/sessions/" + id)
                let messages = try JSONParser.value(session.text)["session"]?["messages"]?.arrayValue ?? []
                #expect(messages.count == 2)
                stored += messages.compactMap { $0["content"]?.stringValue }
            }
            return stored
        }
        for text in expected { #expect(stored.contains(text)) }
    }
}

private func request(_ method: String, _ url: String, body: String? = nil) async throws -> HTTPAnswer {
    var headers = [("Authorization", "Bearer secret")]
    if body != nil { headers.append(("Content-Type", "application/json")) }
    let specification = HTTPRequestSpec(method, try Endpoint(url), headers: headers, body: Array((body ?? "").utf8))
    return try await HTTPExchange.perform(specification, timeout: .seconds(60))
}

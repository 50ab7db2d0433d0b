import HoldfastJSON
import HoldfastJSONSchema
import TestSupport
import Testing

/// What suite and driver say to each other, against the chapter about it.
@Suite struct DriverSchemaTests {
    private func schema(_ name: String) throws -> Schema {
        try Schema(JSONParser.value(SourceTree.text("Spec/schemas/files/\(name).json")))
    }

    private func chapterLines() throws -> [JSONValue] {
        let chapter = try SourceTree.text("Spec/chapters/12-driving-a-client.md")
        var isInside = false
        var lines: [JSONValue] = []
        for line in chapter.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```json"
            } else if isInside {
                lines.append(try JSONParser.value(String(line)))
            }
        }
        return lines
    }

    @Test func `every example of the chapter is valid`() throws {
        let (command, reply) = (try schema("driver-command"), try schema("driver-reply"))
        let lines = try chapterLines()
        #expect(lines.filter { $0["do"] != nil }.count >= 6)
        #expect(lines.filter { $0["do"] == nil }.count >= 5)
        for line in lines {
            let violations = (line["do"] == nil ? reply : command).violations(in: line)
            #expect(violations.isEmpty, "\(line): \(violations.map(\.description).joined(separator: "; "))")
        }
    }

    @Test func `the chapter has a row for every command`() throws {
        let chapter = try SourceTree.text("Spec/chapters/12-driving-a-client.md")
        let root = try JSONParser.value(SourceTree.text("Spec/schemas/files/driver-command.json"))
        let values = try #require(root["properties"]?["do"]?["enum"]?.arrayValue)
        let names = values.compactMap(\.stringValue)
        #expect(names.count == 14)
        let rows = chapter.split(separator: "\n").filter { $0.hasPrefix("| `") }.joined(separator: "\n")
        for name in names { #expect(rows.contains("`\(name)`"), "no row for \(name)") }
    }

    @Test(arguments: [
        #"{"do":"state"}"#, #"{"id":0,"do":"state"}"#, #"{"id":1,"do":"dance"}"#, #"{"id":1,"do":"hello"}"#,
        #"{"id":1,"do":"hello","driver":2}"#, #"{"id":1,"do":"send"}"#, #"{"id":1,"do":"send","text":""}"#,
        #"{"id":1,"do":"sendAgain"}"#,
        #"{"id":1,"do":"state","text":"a"}"#, #"{"id":1,"do":"selectSession"}"#, #"{"id":1,"do":"openPush"}"#,
        #"{"id":1,"do":"launch","url":"http://h/ws","http":"http://h","token":"t","timeScale":1,"fresh":true}"#,
        #"{"id":1,"do":"launch","url":"ws://h/ws","http":"http://h","token":"t","timeScale":0.5,"fresh":true}"#,
        #"{"id":1,"do":"launch","url":"ws://h/ws","http":"http://h","token":"t","timeScale":1}"#,
    ])
    func `no such command is sent`(text: String) throws {
        #expect(try !schema("driver-command").violations(in: JSONParser.value(text)).isEmpty)
    }

    @Test(arguments: [
        #"{"ok":true}"#, #"{"id":"1","ok":true}"#, #"{"id":1}"#, #"{"id":1,"ok":false}"#,
        #"{"id":1,"unsupported":true}"#,
        #"{"id":1,"ok":true,"error":"both"}"#, #"{"id":1,"ok":true,"stat":{}}"#, #"{"id":1,"error":""}"#,
        #"{"id":1,"ok":true,"name":"A","profiles":["core"]}"#,
        #"{"id":1,"ok":true,"name":"A","profiles":["client-sync"]}"#,
        #"{"id":1,"ok":true,"name":"A","unsupported":["send"]}"#, #"{"id":1,"ok":true,"state":null}"#,
        #"{"id":1,"ok":true,"state":{"connection":"online","sessionId":null,"thinking":false,"messages":[]}}"#,
        #"{"id":1,"ok":true,"state":{"connection":"connected","thinking":false,"messages":[]}}"#,
        #"{"id":1,"ok":true,"state":{"connection":"connected","sessionId":null,"thinking":false,"messages":[],"mesages":[]}}"#,
        #"{"id":1,"ok":true,"state":{"connection":"connected","sessionId":null,"thinking":0,"messages":[]}}"#,
        #"{"id":1,"ok":true,"state":{"connection":"connected","sessionId":null,"thinking":false,"messages":[{"role":"user","text":"a"}]}}"#,
        #"{"id":1,"ok":true,"state":{"connection":"connected","sessionId":null,"thinking":false,"messages":[],"unread":{"s1":-1}}}"#,
        #"{"id":1,"ok":true,"state":{"connection":"connected","sessionId":null,"thinking":false,"messages":[],"errors":[{"code":"busy"}]}}"#,
    ])
    func `no such reply is taken`(text: String) throws {
        #expect(try !schema("driver-reply").violations(in: JSONParser.value(text)).isEmpty)
    }
}

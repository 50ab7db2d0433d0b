import HoldfastCaptures
import HoldfastTranscript
import Testing

@Suite struct NoteTests {
    @Test func `a letter is a connection from its first line to CLOSED`() throws {
        let read = try Read("A -> {}\nA CLOSED 4001 'bad key'\nA <- {}\nA CLOSED None None\n", as: .notes)
        #expect(
            read.words == [
                "A opening p1", "A opened", "A>{}", "A<close 4001", "A opening p1", "A opened", "A<{}", "A eof",
            ])
        #expect(read.locations.map(\.line) == [1, 1, 1, 2, 3, 3, 3, 4])
        #expect(read.locations.last?.offset == 40)
    }

    @Test func `requests have their answers`() throws {
        let read = try Read(#"HTTP GET /api/sessions -> 200 {"sessions":[]}"#, as: .notes)
        #expect(read.words == ["1 GET /api/sessions p1", #"1 200 {"sessions":[]}"#])
    }

    @Test func `the body of a request may stand behind its path`() throws {
        let read = try Read(#"HTTP POST /api/chat {"a -> b":1} -> 400 {"error":"x"}"#, as: .notes)
        guard case .request(let request) = read.events[0].kind else { return #expect(Bool(false)) }
        #expect(request.body == #"{"a -> b":1}"#)
        #expect(read.capture?.lacks.contains(.requestBodies) == false)
        let bare = try Read(#"HTTP POST /api/chat -> 400 {"error":"x"}"#, as: .notes)
        #expect(bare.capture?.lacks.contains(.requestBodies) == true)
    }

    @Test func `an answer in HTML goes on over lines`() throws {
        let read = try Read("HTTP GET /api/x -> 404 <!doctype>\n<pre>no\n</pre>\n\nA -> {}\n", as: .notes)
        #expect(read.words[1] == "1 404 <!doctype>\n<pre>no\n</pre>\n")
        #expect(read.words.last == "A>{}")
    }

    @Test func `an answer that was cut short is left aside`() throws {
        let read = try Read(#"HTTP GET /api/sessions -> 200 {"sessions":[{"id":"#, as: .notes)
        #expect(read.events.isEmpty)
        #expect(read.leftOut.entries.map(\.reason) == ["a response whose body is cut off"])
    }

    @Test func `bytes are written as Python writes them`() throws {
        let read = try Read(#"A -> b'{"a":1}\x00\n'"#, as: .notes)
        #expect(read.words.last == "A>9 bytes")
    }

    @Test func `comments say nothing and data without a letter is a gap`() throws {
        let read = try Read("## title\n\nA -> {}\nother socket sees: []\n[('done', 3000127)]\n…\nA <- {}\n", as: .notes)
        #expect(read.gaps == 2)
        #expect(read.leftOut.entries.map(\.count) == [1, 2])
    }

    @Test func `who was refused had no credentials that are known`() throws {
        let read = try Read(#"HTTP GET /api/sessions -> 401 {"error":"Unauthorized"}"#, as: .notes)
        #expect(read.words[0] == "1 GET /api/sessions -")
    }

    @Test func `tokens are taken out and name their owner`() throws {
        let read = try Read(#"A -> {"type":"auth","protocol":1,"token":"secret"}"#, as: .notes)
        #expect(read.words.last == #"A>{"type":"auth","protocol":1,"token":"‹token of p1›"}"#)
    }

    @Test func `bytes may come in any pieces`() throws {
        let text = "A -> {\"type\":\"ping\"}\r\nHTTP GET /api/health -> 200 {\"ok\":true}\r\nA CLOSED 1001 ''"
        let whole = try Read(text, as: .notes)
        for chunk in 1...9 { #expect(try Read(text, as: .notes, chunk: chunk).words == whole.words) }
    }

    @Test(arguments: [
        "a sentence", "AB", "A-> {}", "HTTP", "HTTP GET", "HTTP get /x -> 200", "HTTP GET x -> 200", "a -> {}",
    ])
    func `prose is no event`(line: String) throws {
        #expect(try Read(line, as: .notes).events.isEmpty)
    }
}

/// Who is who in notes, and what is kept out of them.
@Suite struct NotePeopleTests {
    private func auth(_ lane: String, _ token: String) -> String {
        #"\#(lane) -> {"type":"auth","token":"\#(token)"}"# + "\n"
    }

    @Test func `a request without a token is nobody's once tokens were seen`() throws {
        let request = "HTTP GET /api/sessions/s1 -> 404 {}\n"
        #expect(
            try Read(auth("A", "alice") + auth("B", "bob") + request, as: .notes).words.contains(
                "1 GET /api/sessions/s1 unknown HTTP 1"))
        // Nobody said who he is: one person.
        let open = try Read("A -> {}\n" + request, as: .notes).words
        #expect(open.contains("A opening p1") && open.contains("1 GET /api/sessions/s1 p1"))
        // One key in a query is everybody's.
        let keyed = try Read("HTTP GET /api/health?key=k -> 200 {}\nA -> {}\n" + request, as: .notes).words
        #expect(keyed.contains("A opening p1") && keyed.contains("2 GET /api/sessions/s1 p1"))
        let said = try Read(auth("A", "alice") + request, as: .notes, isOnePerson: true)
        #expect(said.words.contains("1 GET /api/sessions/s1 p1"))
        #expect(said.capture?.lacks.contains(.principals) == false)
    }

    @Test func `one token is the person of all of it, also of what came before`() throws {
        let read = try Read("HTTP GET /api/sessions/s1 -> 200 {}\n" + auth("A", "alice"), as: .notes)
        #expect(read.words.contains("1 GET /api/sessions/s1 p1") && read.words.contains("A opening p1"))
    }

    @Test func `what stands in the place of a token names nobody`() throws {
        let two = auth("A", "REDACTED") + auth("B", "***") + "HTTP GET /api/sessions/s1 -> 404 {}\n"
        #expect(try Read(two, as: .notes).words.contains("1 GET /api/sessions/s1 p1"))
    }

    @Test(arguments: [
        #"A -> {"type":"login","token":"hush"}"#, #"A -> {"type":"auth","data":[{"token":"hush"}]}"#,
        #"A -> {"type":"hi","creds":{"api-Key":"hush"}}"#, #"A -> {"type":"x","\u0074oken":"hush"}"#,
        #"HTTP POST /api/register-device {"token":"hush"} -> 200 {}"#,
        "HTTP POST /login grant=x&access_token=hush -> 200 {}", "HTTP GET /api/sessions?API_KEY=hush -> 200 {}",
        #"A -> {"type":"auth","token":"hush","pad":""# + String(repeating: "x", count: 70_000) + #""}"#,
    ])
    func `credentials are kept out at any depth and size`(line: String) throws {
        let read = try Read(line, as: .notes)
        #expect(!read.events.isEmpty)
        #expect(!read.events.contains { "\($0.kind)".contains("hush") })
    }

    @Test func `other words stay as they are`() throws {
        let frame = #"{"type":"chat","key":"C major",  "tokens":"3","token":7}"#
        #expect(try Read("A -> \(frame)", as: .notes).words.last == "A>\(frame)")
    }
}

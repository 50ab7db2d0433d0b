import Testing

@testable import HoldfastCaptures

/// Whose a file is, as far as it shows it.
@Suite struct IdentityTests {
    private func log(_ lines: String..., whole: Bool = true) throws -> Read {
        try Read(lines.joined(separator: "\n"), as: .frames, looksAhead: true, isWhole: whole)
    }

    private func auth(_ connection: String, _ token: String, _ device: String = "phone") -> String {
        #"{"at":1,"conn":"\#(connection)","dir":">","frame":{"type":"auth","protocol":1,"token":"\#(token)","clientId":"\#(device)"}}"#
    }

    private func ping(_ connection: String) -> String {
        #"{"at":1,"conn":"\#(connection)","dir":">","frame":{"type":"ping"}}"#
    }

    private let read = #"{"at":1,"http":"GET /api/sessions","status":200,"response":{"sessions":[]}}"#

    @Test func `one token is one person, also where nobody shows it`() throws {
        let read = try log(auth("A", "T"), ping("B"), read, ping("A"))
        #expect(read.words.filter { $0.contains("belongs") } == ["A belongs p1", "B belongs p1"])
        #expect(read.words.contains("1 GET /api/sessions p1"))
        #expect(read.capture?.lacks.contains(.principals) == false)
        #expect(!read.remarks.contains { $0.contains("--one-person") })
    }

    @Test(arguments: ["REDACTED", "***", "‹secret›", "eyJ0…", "<hidden>", "xxxx", "Bearer ***"])
    func `what stands in the place of a token is none`(token: String) throws {
        let one = try log(auth("A", token), auth("B", token), read)
        #expect(one.words.contains("1 GET /api/sessions p1"), "\(one.words)")
        let two = try log(auth("A", token), auth("B", token, "tablet"), read)
        #expect(two.words.contains("A belongs unknown A") && two.words.contains("B belongs unknown B"), "\(two.words)")
        #expect(two.capture?.lacks.contains(.principals) == true)
        #expect(two.remarks.first?.contains("who owns 2 connections and the requests") == true, "\(two.remarks)")
        #expect(two.remarks.first?.contains("--one-person") == true)
    }

    @Test func `devices that speak by turns need not be one person's`() throws {
        #expect(try log(auth("A", "***"), auth("B", "***"), ping("A")).words.contains("A belongs unknown A"))
    }

    @Test func `two tokens are two people, and a request of nobody is anybody's`() throws {
        let words = try log(auth("A", "T"), auth("B", "U"), read, read).words
        #expect(words.filter { $0.contains("belongs") } == ["A belongs p1", "B belongs p2"])
        #expect(
            words.contains("1 GET /api/sessions unknown HTTP 1") && words.contains("2 GET /api/sessions unknown HTTP 2")
        )
    }

    @Test func `who said first who he is stays it`() throws {
        let words = try log(auth("A", "T"), auth("B", "U"), auth("A", "U")).words
        #expect(words.filter { $0.contains("belongs") } == ["A belongs p1", "B belongs p2"])
    }

    @Test func `a signed token names its subject`() throws {
        // {"sub":"ann"} in the middle, signed twice.
        let words = try log(auth("A", "e30.eyJzdWIiOiJhbm4ifQ.one"), auth("B", "e30.eyJzdWIiOiJhbm4ifQ.two")).words
        #expect(words.filter { $0.contains("belongs") } == ["A belongs p1", "B belongs p1"])
    }

    @Test func `of a part of a log nobody knows who comes later`() throws {
        #expect(try log(auth("A", "***"), whole: false).words.contains("A belongs unknown A"))
    }
}

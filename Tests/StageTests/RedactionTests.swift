import Testing

@testable import HoldfastStage

/// No credential in a transcript, and nothing else taken out of it.
struct RedactionTests {
    private let short = Redaction([("p1", "a")])
    private let long = Redaction([("p1", "very-secret-1"), ("p2", "very-secret-12")])

    @Test func `the token of a sent auth is replaced, however short it is`() {
        #expect(
            short.applied(toSent: #"{"type":"auth","protocol":1,"token":"a","clientId":"a"}"#)
                == #"{"type":"auth","protocol":1,"token":"‹token of p1›","clientId":"a"}"#)
        let other = #"{"type":"auth","protocol":1,"token":"b"}"#
        #expect(short.applied(toSent: other) == other)
    }

    @Test func `other frames stay letter for letter when the credential is short`() {
        for text in [
            #"{"type":"chat","messages":[{"role":"user","content":"a"}]}"#, #"{"type":"chat","token":"a"}"#,
            #"{ "type" : "auth", "token" : "b" }"#, "a", "null", "{\"type\":\"auth\",\"token\":",
        ] {
            #expect(short.applied(toSent: text) == text)
            #expect(short.applied(to: text) == text)
            #expect(short.applied(to: Array(text.utf8)) == Array(text.utf8))
        }
    }

    @Test func `seven bytes are left in the texts of the subject, eight are not`() {
        let seven = Redaction([("p1", "1234567")])
        let eight = Redaction([("p1", "12345678")])
        #expect(seven.applied(to: "is 1234567.") == "is 1234567.")
        #expect(eight.applied(to: "is 12345678.") == "is ‹token of p1›.")
    }

    @Test func `a long credential is found wherever it stands`() {
        #expect(long.applied(to: "very-secret-1 very-secret-12") == "‹token of p1› ‹token of p2›")
        #expect(long.applied(to: Array("x=very-secret-1".utf8)) == Array("x=‹token of p1›".utf8))
        #expect(long.applied(toPath: "/api/very-secret-1") == "/api/‹token of p1›")
        #expect(long.applied(toSent: #"{"type":"ping","nonce":"very-secret-1"}"#).contains("‹token of p1›"))
    }

    @Test func `of credentials that begin alike the longest is replaced, and none that a name brings in`() {
        let alike = Redaction([("p1", "secret-1"), ("secret-1", "secret-12"), ("p3", "ret-1234")])
        #expect(
            alike.applied(to: "secret-1secret-12, secret-1234")
                == "‹token of p1›‹token of secret-1›, ‹token of secret-1›34")
        #expect(alike.applied(to: "secret-") == "secret-")
    }

    @Test func `a long credential is found in the spelling of JSON too`() {
        let odd = Redaction([("p1", #"quote"and\more"#)])
        #expect(odd.applied(to: #"{"error":"no: quote\"and\\more"}"#) == #"{"error":"no: ‹token of p1›"}"#)
    }

    @Test func `a query loses values that are credentials, and those of members that carry one`() {
        #expect(short.applied(toPath: "/ws?v=1&t=a&a=2") == "/ws?v=1&t=‹token of p1›&a=2")
        #expect(short.applied(toPath: "/ws?t=%61") == "/ws?t=‹token of p1›")
        #expect(short.applied(toPath: "/ws?Token=nobody-knows&x=%6") == "/ws?Token=‹token›&x=%6")
        #expect(short.applied(toPath: "/a/data?a&b=") == "/a/data?a&b=")
        #expect(Redaction([("p1", nil)]).applied(toPath: "/ws?access_token=x") == "/ws?access_token=‹token›")
    }

    @Test func `a credential that is a word of a command is replaced from three bytes on`() {
        let redaction = Redaction([("p1", "abc"), ("p2", "1"), ("p3", "very-secret-1")], devices: [("p1", "ab12cd")])
        #expect(
            redaction.applied(toWords: "run --token abc --as p1=abc --d=ab12cd -n 1 abcd xabc very-secret-1x abc")
                == "run --token ‹token of p1› --as p1=‹token of p1› --d=‹device of p1› -n 1 abcd xabc ‹token of p3›x ‹token of p1›"
        )
    }

    @Test func `an empty credential hides nothing`() {
        #expect(Redaction([("p1", ""), ("p2", nil)]).applied(to: "anything") == "anything")
    }
}

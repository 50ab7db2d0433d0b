import Foundation
import Holdfast
import HoldfastReport
import Testing

@testable import HoldfastExplain

@Suite struct ExplainTests {
    private let style = ConsoleStyle(width: 80)

    /// Read once; it is large.
    private static let specification = Result { try Specification(.embedded) }

    private func pages(_ topic: String, width: Int = 80) throws -> String {
        let specification = try Self.specification.get()
        return try TopicBook(specification, ConsoleStyle(width: width)).pages(on: topic).joined(separator: "\n")
    }

    @Test func `alone it prints the protocol on one sheet`() throws {
        let text = try TopicBook(Self.specification.get(), style).sheet
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 96)
        #expect(lines.allSatisfy { $0.count <= 80 })
        for area in Area.allCases { #expect(text.contains(area.rawValue), "\(area)") }
        #expect(lines.first == "The protocol on one sheet" && !text.contains("#"))
    }

    @Test func `a clause is shown kept and broken, with where it comes from`() throws {
        let text = try pages("SYNC-3")
        for part in [
            "SYNC-3 · server · profile sync · MUST", "Why\n", "How it is judged\n", "R24  complete means whole",
            "Kept: ", "Broken: ", "<< SYNC-3", "Defects that break it", "sync-cuts-full-pages-short",
            "Related\n", "Scenarios\n", "Fixtures\n", "conformance server URL --only SYNC-3",
        ] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test(arguments: [40, 80])
    func `pages keep within the console`(width: Int) throws {
        for topic in ["SYNC-3", "PERSIST-1", "CLIENT-36", "ENV-1"] {
            let lines = try pages(topic, width: width).split(separator: "\n")
            // Commands and names of files are not divided.
            for line in lines where line.contains("│") && line.count > width { Issue.record("\(line)") }
        }
    }

    @Test(arguments: [
        ("sync-3", "SYNC-3 · server"), ("SYNC", "replay and explicit gaps"), ("sync", "profile of a server"),
        ("syncResult", "message"), ("epoch", "The name of a stream's numbering"), ("persist_failed", "error code"),
        ("4001", "close code"), ("3", "exit code: the baseline is stale"), ("session read", "GET /api/sessions/{id}"),
        ("server/SYNC/evicted", "scenario"), ("spinner", "The spinner never ends"), ("duplicate", "IDEM-1"),
        ("untested", "did not exercise the clause"), ("turnId", "Which id names what"),
        ("resend", "conformance server URL --only IDEM-1"),
        ("sync-claims-complete-after-eviction", "breaks SYNC-6"), ("the answer came twice", "SYNC-8"),
        ("The spinner never ends.", "TURN-3"), ("my question came twice", "The same message came twice"),
        ("same-words-in-another-form", "server/IDEM/same-words-in-another-form"),
        ("IDEM-5", "What IDEM is about"),
    ])
    func `every kind of name is explained`(topic: String, part: String) throws {
        let text = try pages(topic)
        #expect(text.contains(part), "\(text.prefix(300))")
    }

    @Test func `every word of the glossary is explained as the glossary does`() throws {
        let glossary = try #require(try Self.specification.get().files.texts["glossary.md"])
        let words = glossary.matches(of: /\*\*(?<name>[^*]+)\*\*/).map { $0.name.filter { !"`.".contains($0) } }
        #expect(words.count > 40)
        for word in words { #expect(try pages(word).contains("\(word) · term"), "\(word)") }
        #expect(try pages("subject file").contains("A JSON file that describes a subject"))
    }

    @Test(arguments: [("SYNK-3", "SYNC-3"), ("syncResutl", "syncResult"), ("presist_failed", "persist_failed")])
    func `a mistyped topic is answered with the nearest`(topic: String, name: String) {
        #expect { try pages(topic) } throws: { ($0 as? InputProblem)?.fix == "did you mean '\(name)'?" }
    }

    @Test func `an excluded clause says why nobody can judge it`() throws {
        let text = try pages("PERSIST-8")
        #expect(text.contains("Excluded\n") && !text.contains("Test it alone"))
    }

    // MARK: What people type

    /// What people write in public trackers of chat and agent servers, each with the page that it leads to.
    private static let phrases: [(title: String, said: String)] = [
        (
            "The same message came twice",
            """
            duplicate|duplicate messages after reconnect|duplicate chat message|messages duplicated|duplicate
            conversation history on reconnection|same message again|message sent twice|answer shown twice|runs
            twice|double charge|replayed twice|agent ran twice|user message appears twice|message rendered
            twice|double messages|tool ran twice|duplicate answer|deduplication|repeated message|the answer came
            twice
            """
        ),
        (
            "The spinner never ends",
            """
            spinner|stuck generating|no response|no reply|chat stuck on loading|stuck loading|infinite loading
            screen|ai never responds|agent not responding|loading forever|waiting forever|response never
            came|stuck thinking|hangs indefinitely|timeout|never finishes|no response after sending
            message|waiting for ai response
            """
        ),
        (
            "A message is lost",
            """
            message lost|answer lost|message disappeared after refresh|history empty|chat history gone|missing
            messages|not delivered|message not delivered|conversation disappeared|messages vanish|lost
            messages|empty chat after login|session not found|data loss|404|my message is gone|reply
            missing|chat history disappears on refresh
            """
        ),
        (
            "The connection is lost and comes back",
            """
            reconnect|answer lost after background|background|websocket disconnects|connection closed
            unexpectedly|keeps disconnecting|dropped connection|connection reset by peer|wifi to lte|network
            change|disconnects when screen locked|abnormal closure
            """
        ),
        (
            "A proxy or load balancer ends the connection",
            """
            load balancer|nginx|proxy_read_timeout|disconnects after 60 seconds|websocket closes every 60
            seconds|cloudflare|sticky sessions|reverse proxy|ingress|haproxy|504|corporate proxy|firewall
            """
        ),
        (
            "Nothing happens for a long time",
            """
            idle timeout|keepalive|ping timeout|zombie|heartbeat|half-open|slow|dead socket|ping pong
            timeout|stale connection|takes forever|no pong
            """
        ),
        (
            "What the protocol leaves out",
            """
            streaming|partial tokens|duplicate tokens|typing indicator|read receipts|presence|delete
            message|edit message|stop generating|partial response|file upload|attachments|token streaming
            """
        ),
        (
            "Unread counts are wrong",
            """
            badge|unread|unread count|badge count wrong|unread badge|mark as read
            """
        ),
        (
            "Several devices of one person",
            """
            multi device|multiple devices|two tabs|out of sync|not syncing|desktop and phone|other device
            """
        ),
        (
            "The app was closed and opens again",
            """
            app killed|cold start|force quit|swiped away|app crash|page reload|refresh page|relaunch
            """
        ),
        (
            "The connection does not open",
            """
            cors|CORS|tls|certificate|handshake failed|cannot connect|connection refused|stuck connecting|self
            signed certificate|upgrade required|failed to connect
            """
        ),
        (
            "A question is refused",
            """
            409|conflict|busy|422|bad request|parse error|invalid json|still running
            """
        ),
        (
            "The agent failed",
            """
            agent error|500|something went wrong|model error|tool call failed|internal server error
            """
        ),
        (
            "Full disk and broken storage",
            """
            disk full|no space left on device|database locked|corrupted|database down
            """
        ),
        (
            "Long replays come in pages",
            """
            pagination|load more|older messages|infinite scroll
            """
        ),
        (
            "Too many messages",
            """
            429|rate limit|too many requests|throttled|quota
            """
        ),
        (
            "Messages are out of order",
            """
            out of order|race|race condition|wrong order|concurrent messages|messages in wrong order|answer
            before question
            """
        ),
        (
            "Frames are missing after a reconnect",
            """
            event gap|gap detected|missed messages|missed events|catch up|gap|missed while
            offline|resume|missing events after reconnect
            """
        ),
        (
            "Sequence numbers",
            """
            cursor|offset|seq|last event id
            """
        ),
        (
            "The server restarts",
            """
            deploy|crash|rolling update|out of memory|503|502 bad gateway|sigterm|server crash|graceful shutdown
            """
        ),
        (
            "The credentials are refused",
            """
            token refresh|expired token|unauthorized|401|403|jwt|logged out|session expired|auth failed
            """
        ),
        (
            "The notification is missing, doubled or opens the wrong place",
            """
            push empty chat|no push|duplicate notification|push notification|tap opens wrong chat|deep link|fcm
            """
        ),
        (
            "The answer is in the wrong conversation",
            """
            wrong conversation|wrong chat|wrong thread|mixed conversations|message in wrong room|other
            conversation
            """
        ),
        (
            "The phone is offline",
            """
            airplane|draft lost|draft|queue|no internet|outbox|flaky network|airplane mode
            """
        ),
        (
            "A message is too large",
            """
            max payload|too big|1009|payload too large|413|message too long|truncated
            """
        ),
        (
            "Emoji and other characters are broken",
            """
            emoji|garbled|unicode|encoding
            """
        ),
        (
            "Client and server disagree about the version",
            """
            old app|unsupported version|breaking change|upgrade|version
            """
        ),
        (
            "The client hammers the server",
            """
            reconnect storm|backoff|reconnect loop|thundering herd|retry storm|jitter
            """
        ),
        (
            "A message is sent again",
            """
            retry|resend|idempotent|at least once|retried
            """
        ),
        (
            "What an acknowledgment promises",
            """
            ack|delivered|receipt|acknowledged
            """
        ),
        (
            "How predictable the agent is",
            """
            echo|tier
            """
        ),
        (
            "The server speaks another protocol",
            """
            socket.io|dialect|graphql
            """
        ),
    ]

    @Test func `what people type leads to its page`() throws {
        let book = Swift.Result { try TopicBook(Self.specification.get(), style) }
        var count = 0
        for (title, said) in Self.phrases {
            for phrase in said.replacing("\n", with: " ").split(separator: "|") {
                count += 1
                let words = phrase.split(separator: " ").map(String.init)
                let pages = (try? book.get().pages(on: words) { _ in nil }) ?? []
                #expect(pages.contains { $0.hasPrefix(title) }, "\(phrase): \(pages.map { $0.prefix(60) })")
                #expect(pages.count < 4, "\(phrase): \(pages.map { $0.prefix(60) })")
            }
        }
        #expect(count >= 150)
    }

    @Test(arguments: ["memory leak", "kubernetes", "blockchain", "printer on fire", "dark energy", "zzz"])
    func `what nobody knows is answered with the nearest three`(words: String) throws {
        let book = try TopicBook(Self.specification.get(), style)
        #expect {
            try book.pages(on: words.split(separator: " ").map(String.init)) { _ in nil }
        } throws: { error in
            let text = "\(error)"
            return text.contains("the nearest are '") && text.components(separatedBy: "' (").count == 4
        }
    }

    @Test func `names that are written as they are stay one page each`() throws {
        let book = try TopicBook(Self.specification.get(), style)
        #expect(try book.pages(on: ["SYNC-3", "PERSIST-1"]) { _ in nil }.count == 2)
    }
}

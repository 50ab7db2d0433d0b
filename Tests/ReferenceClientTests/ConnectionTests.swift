import HoldfastJSON
import Testing

@testable import ReferenceClient

@Suite struct ConnectionTests {
    @Test func `CLIENT-36 coming back opens a new connection, however healthy the old one looks`() {
        var phone = Phone.connected()
        phone.tell(.background)
        phone.tell(.foreground)
        #expect(phone.attempts == 2)
        #expect(phone.latest.contains(.close(socket: 1, code: 1001)))
        #expect(phone.screen.connection == .connecting)
    }

    @Test func `CLIENT-36 what is typed after the return goes out on the new connection`() {
        var phone = Phone.connected()
        phone.tell(.background)
        phone.tell(.foreground)
        phone.tell(.typed("hello"))
        #expect(phone.sent("chat").isEmpty)
        phone.connect()
        #expect(phone.sent("chat", on: 2).count == 1)
    }

    @Test func `CLIENT-36 the first word that the app is active changes nothing`() {
        var phone = Phone.connected()
        phone.tell(.foreground)
        #expect(phone.attempts == 1)
        #expect(phone.latest.isEmpty)
    }

    @Test func `CLIENT-23 an open socket is not a connection`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.tell(.opened(socket: 1))
        #expect(phone.screen.connection == .connecting)
        #expect(phone.sent().map { $0["type"]?.stringValue } == ["auth"])
        phone.connect()
        #expect(phone.screen.connection == .connected)
    }

    @Test func `AUTH-10 nothing follows auth before connected`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.tell(.opened(socket: 1))
        phone.tell(.typed("hello"))
        #expect(phone.sent().count == 1)
    }

    @Test func `CLIENT-1 a refusing server sees at most 20 attempts in any minute`() {
        for seed in 0..<20 {
            var phone = Phone()
            phone.core.dice = Dice(seed: UInt64(seed))
            phone.tell(.launched(opened: nil))
            var times = [phone.now]
            for _ in 0..<60 {
                phone.cut()
                let wait = phone.wait(.reconnect) ?? 0
                #expect((1...30_000).contains(wait))
                phone.elapse(.reconnect, after: wait)
                times.append(phone.now)
            }
            for start in times { #expect(times.count { $0 >= start && $0 < start + 60_000 } <= 20) }
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 30_000 })
        }
    }

    @Test func `CLIENT-2 no two phones wait alike`() {
        let waits = (0..<2).map { seed -> [Int] in
            var phone = Phone()
            phone.core.dice = Dice(seed: UInt64(seed))
            phone.tell(.launched(opened: nil))
            return (0..<6).map { _ in
                phone.cut()
                let wait = phone.wait(.reconnect) ?? 0
                phone.elapse(.reconnect, after: wait)
                return wait
            }
        }
        #expect(waits[0] != waits[1])
        #expect(Set(waits[0]).count > 1)
    }

    @Test func `CLIENT-1 a server that says something and fails sees no more`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        var times = [phone.now]
        for _ in 0..<60 {
            phone.connect()
            phone.receive(["type": "toolUse", "tool": "webFetch", "sessionId": "s9", "turnId": "t9"])
            phone.cut(code: 1011)
            let wait = phone.wait(.reconnect) ?? 0
            #expect((1...30_000).contains(wait))
            phone.elapse(.reconnect, after: wait)
            times.append(phone.now)
        }
        for start in times { #expect(times.count { $0 >= start && $0 < start + 60_000 } <= 20) }
    }

    @Test func `CLIENT-1 only a frame after connected makes waits short again`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        for _ in 0..<6 {
            phone.tell(.opened(socket: phone.socket))
            phone.cut(code: 1011)
            phone.elapse(.reconnect, after: phone.wait(.reconnect) ?? 0)
        }
        #expect(phone.core.link.failures == 6)
        phone.connect()
        #expect(phone.core.link.failures == 0)
        phone.receive(["type": "pong"])
        #expect(!phone.core.link.hasDelivered)
        phone.receive(["type": "toolUse", "tool": "webFetch", "sessionId": "s9", "turnId": "t9"])
        #expect(phone.core.link.hasDelivered)
    }

    @Test func `CLIENT-37 a network that comes and goes makes no wait too long`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        for _ in 0..<25 {
            phone.tell(.networkDown)
            phone.tell(.networkUp)
        }
        for _ in 0..<5 {
            phone.cut()
            let wait = phone.wait(.reconnect) ?? 0
            #expect((1...30_000).contains(wait))
            phone.elapse(.reconnect, after: wait)
        }
    }

    @Test func `CLIENT-37 a slow failure is part of the wait`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.core.link.failures = 20
        phone.elapse(.greeting, after: 15_000)
        #expect((phone.wait(.reconnect) ?? .max) <= 15_000)
    }

    @Test(arguments: [1000, 1001, 1006, 1011, 1012, 1013, 4002, 4711]) func `CLIENT-37 a close is no farewell`(
        code: Int
    ) {
        var phone = Phone.connected()
        phone.cut(code: code)
        #expect(phone.wait(.reconnect) != nil)
        phone.elapse(.reconnect, after: 1000)
        #expect(phone.attempts == 2)
    }

    @Test(arguments: [4001, 4010]) func `CLIENT-3 credentials and versions do not improve by trying`(code: Int) {
        var phone = Phone.connected()
        phone.cut(code: code)
        phone.elapse(.reconnect, after: 60_000)
        phone.tell(.networkDown)
        phone.tell(.networkUp)
        #expect(phone.attempts == 1)
        #expect(phone.screen.connection == .offline)
        #expect(!phone.screen.errors.isEmpty)
        phone.tell(.background)
        phone.tell(.foreground)
        #expect(phone.attempts == 2)
    }

    private func refusal(_ supported: [Int]) -> JSONValue {
        [
            "type": "error", "error": "no", "code": "unsupported_version",
            "supported": .array(supported.map { JSONValue($0) }),
        ]
    }

    @Test func `CLIENT-3 a version in common is found, and each is offered once`() {
        var phone = Phone([], [.offersTheNextVersion])
        phone.tell(.launched(opened: nil))
        phone.tell(.opened(socket: phone.socket))
        #expect(phone.sent("auth").last?["protocol"] == 2)
        phone.receive(refusal([1]))
        phone.cut(code: 4010)
        #expect(phone.attempts == 2)
        phone.connect()
        #expect(phone.sent("auth").last?["protocol"] == 1)
        #expect(phone.screen.connection == .connected)
        #expect(phone.screen.errors.isEmpty)
        // What was found holds on.
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        #expect(phone.sent("auth").last?["protocol"] == 1)
        // A deploy changes what the server speaks.
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.tell(.opened(socket: phone.socket))
        phone.receive(refusal([2]))
        phone.cut(code: 4010)
        phone.connect()
        #expect(phone.sent("auth").last?["protocol"] == 2)
        #expect(phone.screen.connection == .connected)
    }

    @Test(arguments: [[1], [999], []]) func `CLIENT-3 no version in common is the end`(supported: [Int]) {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.tell(.opened(socket: phone.socket))
        phone.receive(refusal(supported))
        phone.cut(code: 4010)
        phone.elapse(.reconnect, after: 60_000)
        #expect(phone.attempts == 1)
        #expect(phone.screen.connection == .offline)
    }

    @Test func `who signs in again sees no old refusal`() {
        var phone = Phone.connected()
        phone.cut(code: 4001)
        phone.tell(.background)
        phone.tell(.foreground)
        phone.connect()
        #expect(phone.screen.errors.isEmpty)
        #expect(phone.screen.connection == .connected)
    }

    @Test func `CLIENT-37 the network's return ends every wait`() {
        var phone = Phone.connected()
        phone.tell(.networkDown)
        #expect(phone.screen.connection == .offline)
        #expect(phone.attempts == 1)
        phone.tell(.networkUp, after: 300_000)
        #expect(phone.attempts == 2)
    }

    @Test func `a phone in the background tries nothing`() {
        var phone = Phone.connected()
        phone.tell(.background)
        phone.cut()
        phone.elapse(.reconnect, after: 60_000)
        phone.tell(.networkDown)
        phone.tell(.networkUp)
        #expect(phone.attempts == 1)
    }

    @Test func `CLIENT-33 trying, polling and being without network look different`() {
        var phone = Phone.connected()
        phone.cut()
        #expect(phone.screen.connection == .connecting)
        phone.elapse(.reconnect, after: 1000)
        phone.cut()
        phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        #expect(phone.screen.connection == .degraded)
        phone.tell(.networkDown)
        #expect(phone.screen.connection == .offline)
    }

    @Test func `waits are divided by the time scale`() {
        var phone = Phone(scale: 10)
        phone.tell(.launched(opened: nil))
        #expect(phone.wait(.greeting) == 1500)
    }

    @Test func `AUTH-11 the token is in no URL`() {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        let urls = phone.effects.compactMap { effect -> String? in
            switch effect {
            case .open(_, let url): url
            case .request(_, let request, _): request.url
            default: nil
            }
        }
        #expect(urls.count >= 3)
        #expect(urls.allSatisfy { !$0.contains("secret") })
        #expect(phone.asked("GET", "/api/sessions/s1").first?.token == "secret")
    }
}

import Foundation
import Testing

@testable import ClientDriver

@Suite struct DriverSessionTests {
    private let launch =
        #"{"id":2,"do":"launch","url":"ws://127.0.0.1:4000/ws","http":"http://127.0.0.1:4000","token":"t1","timeScale":10,"fresh":true}"#

    @Test func `the greeting is answered with who the app is`() async {
        let about = AboutClient(
            name: "Fake", version: "3.2", profiles: ["client-core"], unsupported: ["receivePush"])
        let session = DriverSession(FakeApp(about))
        #expect(
            await session.answer(to: #"{"id":1,"do":"hello","driver":1}"#)
                == #"{"id":1,"name":"Fake","ok":true,"profiles":["client-core"],"unsupported":["receivePush"],"version":"3.2"}"#
        )
    }

    @Test func `a name is enough of an introduction`() async {
        let session = DriverSession(SmallApp())
        #expect(
            await session.answer(to: #"{"id":1,"do":"hello","driver":1}"#) == #"{"id":1,"name":"Small","ok":true}"#)
    }

    @Test func `another version of the driver protocol is refused with both numbers`() async {
        let session = DriverSession(SmallApp())
        #expect(
            await session.answer(to: #"{"id":1,"do":"hello","driver":2}"#)
                == #"{"error":"the suite speaks version 2 of the driver protocol, the driver 1","id":1}"#)
    }

    @Test func `a launch carries everything the app needs`() async throws {
        let app = FakeApp()
        let session = DriverSession(app, dataFolder: URL(fileURLWithPath: "/tmp/app", isDirectory: true))
        #expect(
            await session.answer(to: launch)
                == #"{"id":2,"ok":true,"state":{"connection":"connecting","errors":[],"messages":[],"sessionId":null,"thinking":false,"unread":{}}}"#
        )
        let told = try #require(await app.launches.first)
        #expect(told.url.absoluteString == "ws://127.0.0.1:4000/ws")
        #expect(told.http.absoluteString == "http://127.0.0.1:4000")
        #expect(told.token == "t1")
        #expect(told.timeScale == 10)
        #expect(told.fresh)
        #expect(told.opened == nil)
        #expect(told.dataFolder?.path == "/tmp/app")
    }

    @Test func `a launch by a tap carries the payload`() async throws {
        let app = FakeApp()
        let line = launch.dropLast() + #","opened":{"sessionId":"s2","messageId":"a5","aps":{"alert":{"body":"é"}}}}"#
        _ = await DriverSession(app).answer(to: String(line))
        let opened = try #require(await app.launches.first?.opened)
        #expect(opened.sessionId == "s2")
        #expect(opened.messageId == "a5")
        #expect(opened.turnId == nil)
        #expect(opened.userInfo["aps"] != nil)
    }

    @Test func `every answer shows what the app shows`() async {
        let state = ClientState(
            connection: .degraded, sessionId: "s1", isThinking: true,
            messages: [ShownMessage(id: "u1", role: .user, text: "a/b \"c\"")],
            errors: [ShownError(text: "too fast", code: "rate_limited", clientMessageId: "k9")], unread: ["s2": 1])
        let session = DriverSession(FakeApp(shows: state))
        #expect(
            await session.answer(to: #"{"id":7,"do":"send","text":"two\nlines"}"#)
                == #"{"id":7,"ok":true,"state":{"connection":"degraded","errors":[{"clientMessageId":"k9","code":"rate_limited","text":"too fast"}],"messages":[{"id":"u1","role":"user","status":"sent","text":"a/b \"c\""},{"clientMessageId":"k1","role":"user","status":"sending","text":"two\nlines"}],"sessionId":"s1","thinking":true,"unread":{"s2":1}}}"#
        )
    }

    @Test func `each command reaches its function`() async {
        let app = FakeApp()
        let session = DriverSession(app)
        let commands = [
            launch, #"{"id":3,"do":"background"}"#, #"{"id":4,"do":"foreground"}"#, #"{"id":5,"do":"networkDown"}"#,
            #"{"id":6,"do":"networkUp"}"#, #"{"id":7,"do":"receivePush","payload":{"sessionId":"s1"}}"#,
            #"{"id":8,"do":"openPush","payload":{"sessionId":"s2"}}"#,
            #"{"id":9,"do":"selectSession","sessionId":"s3"}"#, #"{"id":10,"do":"selectSession","sessionId":null}"#,
            #"{"id":11,"do":"sendAgain","clientMessageId":"k1"}"#, #"{"id":12,"do":"state"}"#,
            #"{"id":13,"do":"quit"}"#, #"{"id":14,"do":"crash"}"#,
        ]
        for command in commands { #expect(await session.answer(to: command).contains(#""ok":true"#)) }
        #expect(
            await app.told == [
                "launch", "background", "foreground", "networkDown", "networkUp", "receivePush", "openPush",
                "select s3", "select -", "sendAgain k1", "quit", "crash",
            ])
        #expect(await app.payloads.map(\.sessionId) == ["s1", "s2"])
    }

    @Test(arguments: [("quit", DriverSession.Ending.quit), ("crash", .crash)])
    func `an app that ends shows nothing any more`(name: String, ending: DriverSession.Ending) async {
        let exchange = await DriverSession(FakeApp()).exchange(#"{"id":3,"do":"\#(name)"}"#)
        #expect(exchange.answer == #"{"id":3,"ok":true}"#)
        #expect(exchange.ending == ending)
        let refused = await DriverSession(SmallApp()).exchange(#"{"id":3,"do":"\#(name)"}"#)
        #expect(refused.ending == nil)
    }

    @Test(arguments: DriverCommand.names.filter { !["launch", "send", "state"].contains($0) })
    func `what a team leaves out is answered as unsupported`(name: String) async {
        let line = #"{"id":5,"do":"\#(name)","payload":{},"sessionId":null,"clientMessageId":"k1"}"#
        #expect(
            await DriverSession(SmallApp()).answer(to: line)
                == #"{"id":5,"unsupported":"the driver does not support \#(name)"}"#)
    }

    @Test func `an error of the app is told in its words`() async {
        let session = DriverSession(FakeApp(isBroken: true))
        #expect(await session.answer(to: launch) == #"{"error":"the database is locked","id":2}"#)
    }

    @Test(arguments: [
        ("what", #"{"error":"the line is not a JSON object","id":0}"#),
        ("[]", #"{"error":"the line is not a JSON object","id":0}"#),
        (#"{"do":"state"}"#, #"{"error":"the command has no id","id":0}"#),
        (#"{"id":4}"#, #"{"error":"the command has no member 'do' that is a string","id":4}"#),
        (#"{"id":4,"do":"dance"}"#, #"{"id":4,"unsupported":"the driver does not support dance"}"#),
        (#"{"id":4,"do":"send"}"#, #"{"error":"the command has no member 'text' that is a string","id":4}"#),
        (
            #"{"id":4,"do":"openPush","payload":"s1"}"#,
            #"{"error":"the command has no member 'payload' that is an object","id":4}"#
        ),
    ])
    func `a line that is no command is answered with why`(line: String, answer: String) async {
        #expect(await DriverSession(SmallApp()).answer(to: line) == answer)
    }
}

import Foundation
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastStage

@Suite struct SpawnedDriverTests {
    @Test func `a driver that obeys is understood`() async throws {
        let state = ShellDriver.emptyState
        let reply = try await ShellDriver.answer(#"echo "{\"id\":$id,\"ok\":true,\"state\":\#(Self.quoted(state))}""#)
        guard case .success(.done(let shown, _)) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(shown == (try JSONParser.value(state)))
    }

    @Test func `the words for what it cannot or could not do arrive`() async throws {
        #expect(
            try await ShellDriver.answer(#"echo "{\"id\":$id,\"unsupported\":\"no tabs\"}""#)
                == .success(.unsupported("no tabs")))
        #expect(
            try await ShellDriver.answer(#"echo "{\"id\":$id,\"error\":\"no list\"}""#) == .success(.failed("no list")))
    }

    #if os(Linux)
    @Test func `what a program uses of a processor is told while it runs`() async throws {
        let body =
            #"case $line in *launch*) i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done ;; esac; echo "{\"id\":$id,\"ok\":true}""#
        let link = try await ShellDriver.drivers(ShellDriver.script(body)).open(
            data: NSTemporaryDirectory(), timeScale: 10)
        _ = try await link.perform(Self.launch(fresh: true), within: .seconds(10))
        #expect(try #require(link.processorTime) > .zero)
        await link.end()
        #expect(link.processorTime == nil)
    }
    #endif

    @Test func `a program that ends with quit or crash is started again for the next launch`() async throws {
        let folder = try TemporaryDirectory()
        let body = #"""
            echo "{\"id\":$id,\"ok\":true}"
            echo "$$ $HOLDFAST_TIME_SCALE $line" >> "$HOLDFAST_DATA/log"
            case $line in *quit*|*crash*) exit 0 ;; esac
            """#
        let link = try await ShellDriver.drivers(ShellDriver.script(body)).open(data: folder.path, timeScale: 10)
        for end in ["quit", "crash"] {
            _ = try await link.perform(Self.launch(fresh: end == "quit"), within: .seconds(10))
            _ = try await link.perform(["do": .string(end)], within: .seconds(10))
        }
        #expect(link.greeting.name == "Shell")
        await link.end()
        let lines = try folder.text(of: "log").split(separator: "\n")
        #expect(lines.count == 4)
        #expect(Set(lines.map { $0.prefix { $0 != " " } }).count == 2)
        #expect(lines.allSatisfy { $0.contains(" 10 ") })
        // The numbers begin anew with a new program.
        #expect(lines.map { $0.contains(#""id":2"#) } == [true, false, true, false])
    }

    @Test func `a program that stays after quit is launched again`() async throws {
        let link = try await ShellDriver.open(#"echo "{\"id\":$id,\"ok\":true}""#)
        for name in ["quit", "launch", "crash", "launch", "background"] {
            let command = name == "launch" ? Self.launch(fresh: false) : ["do": .string(name)]
            _ = try await link.perform(command, within: .seconds(10))
        }
        await link.end()
    }

    @Test func `what is written to standard error is no reply`() async throws {
        let reply = try await ShellDriver.answer(#"echo "a log line" >&2; echo "{\"id\":$id,\"ok\":true}""#, to: "quit")
        guard case .success(.done(nil, _)) = reply else {
            Issue.record("\(reply)")
            return
        }
    }

    @Test func `a command of the suite's own that its schema rejects never leaves`() async throws {
        let link = try await ShellDriver.open(#"echo "{\"id\":$id,\"ok\":true}""#)
        let problem = await #expect(throws: DriverProblem.self) {
            try await link.perform(["do": "send", "text": 7], within: .seconds(1))
        }
        #expect(problem?.isHarness == true)
        #expect(
            problem?.inShort.hasPrefix("its own command 'send' is rejected by its schema: /text: ") == true)
        await link.end()
    }

    static func launch(fresh: Bool) -> JSONObject {
        [
            "do": "launch", "url": "ws://127.0.0.1:1/ws", "http": "http://127.0.0.1:1", "token": "t", "timeScale": 10,
            "fresh": .bool(fresh),
        ]
    }

    private static func quoted(_ json: String) -> String { json.replacing("\"", with: "\\\"") }
}

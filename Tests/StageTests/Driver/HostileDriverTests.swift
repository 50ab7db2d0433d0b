import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastStage

/// Drivers that do what none should: each is told as what it is, in bounded time and memory.
@Suite struct HostileDriverTests {
    @Test func `text on standard output is shown as it was written`() async throws {
        let problem = try #require(await ShellDriver.answer("echo 'Starting up…'").problem)
        #expect(problem.inShort.contains("instead of an answer to 'state' came 'Starting up…' (1:1: "))
        #expect(problem.description.contains("\n  fix: print only replies to standard output"))
    }

    @Test func `text that comes before anything was asked is the same`() async throws {
        let command = ["/bin/sh", "-c", "echo 'Starting up…'; exec sleep 600"]
        let problem = await #expect(throws: DriverProblem.self) {
            try await ShellDriver.drivers(command).open(data: "/tmp", timeScale: 1)
        }
        #expect(problem?.inShort.contains("instead of an answer to 'hello' came 'Starting up…' (1:1: ") == true)
        #expect(problem?.isUnreachable == true)
    }

    @Test(arguments: [
        (#"{\"id\":$id,\"ok\":false}"#, "/ok"), (#"{\"id\":$id}"#, "unsupported"), ("[1]", "object"),
        (
            #"{\"id\":$id,\"ok\":true,\"state\":{\"connection\":\"online\",\"sessionId\":null,\"thinking\":false,\"messages\":[]}}"#,
            "/state/connection"
        ),
        (#"{\"id\":$id,\"ok\":true}"#, "without 'state'"),
        (#"{\"id\":$id,\"ok\":true,\"name\":\"again\"}"#, "without 'state'"),
    ])
    func `a reply that its schema rejects is shown with the reason`(text: String, reason: String) async throws {
        let problem = try #require(await ShellDriver.answer(#"echo "\#(text)""#).problem)
        guard case .notAReply(_, let reasons) = problem.code else {
            Issue.record("\(problem)")
            return
        }
        #expect(reasons.joined(separator: "; ").contains(reason), "\(reasons)")
    }

    @Test func `a reply with another number is one nobody asked for`() async throws {
        let problem = try #require(await ShellDriver.answer(#"echo '{"id":77,"ok":true}'"#).problem)
        #expect(problem.code == .unasked(line: #"{"id":77,"ok":true}"#, expected: 2))
    }

    @Test func `a second reply is told at the next command`() async throws {
        let link = try await ShellDriver.open(#"echo "{\"id\":$id,\"ok\":true}"; echo "{\"id\":$id,\"ok\":true}""#)
        _ = try await link.perform(["do": "background"], within: .seconds(10))
        // Both lines are written at once; the second may still be on its way when the first is read.
        let problem = await #expect(throws: DriverProblem.self) {
            while true { _ = try await link.perform(["do": "background"], within: .seconds(10)) }
        }
        guard case .unasked(let line, _) = problem?.code else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(line.hasSuffix(#","ok":true}"#))
        await link.end()
    }

    @Test func `a driver that hangs is late, and stays it`() async throws {
        let link = try await ShellDriver.open("sleep 600")
        for _ in 1...2 {
            let problem = await #expect(throws: DriverProblem.self) {
                try await link.perform(["do": "state"], within: .milliseconds(200))
            }
            #expect(problem?.inShort.hasSuffix("no answer to 'state' in 0.2 s") == true)
        }
        await link.end()
    }

    @Test func `a driver that ignores SIGTERM ends all the same`() async throws {
        let command = ["/bin/sh", "-c", "trap '' TERM; \(ShellDriver.script("while :; do sleep 1; done")[2])"]
        let link = try await ShellDriver.drivers(command).open(data: "/tmp", timeScale: 1)
        await #expect(throws: DriverProblem.self) {
            try await link.perform(["do": "state"], within: .milliseconds(100))
        }
        let start = ContinuousClock.now
        await link.end()
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `a driver that never reads is late`() async throws {
        let drivers = ShellDriver.drivers(["/bin/sh", "-c", "exec sleep 600"], limit: .milliseconds(300))
        let problem = await #expect(throws: DriverProblem.self) {
            try await drivers.open(data: "/tmp", timeScale: 1)
        }
        #expect(problem?.code == .hung(milliseconds: 300))
        #expect(problem?.isUnreachable == true)
    }

    @Test(arguments: ["yes | tr -d '\\n'", "yes"])
    func `a driver that floods is cut off`(flood: String) async throws {
        let link = try await ShellDriver.open(flood)
        let problem = await #expect(throws: DriverProblem.self) {
            // The lines of the second are no replies, and are told as that when they come one by one.
            try await link.perform(["do": "state"], within: .seconds(20))
        }
        switch problem?.code {
        case .flooded(let bytes): #expect(bytes < 2 * LineBox.limit)
        case .notAReply(let line, _): #expect(line == "y")
        default: Issue.record("\(String(describing: problem))")
        }
        await link.end()
    }

    @Test func `a driver that dies is told with its code and its last words`() async throws {
        let link = try await ShellDriver.open("echo 'out of memory' >&2; exit 3")
        let problem = await #expect(throws: DriverProblem.self) {
            try await link.perform(["do": "state"], within: .seconds(10))
        }
        #expect(problem?.code == .ended(.code(3)))
        #expect(problem?.output == ["out of memory"])
        await link.end()
    }

    @Test func `a driver that is killed is told with the signal`() async throws {
        let problem = try #require(await ShellDriver.answer("kill -9 $$").problem)
        #expect(problem.code == .ended(.signal("SIGKILL")))
        #expect(problem.inShort.hasSuffix("the driver ended with signal SIGKILL before it answered 'state'"))
    }

    @Test func `a program that does not exist cannot be started`() async throws {
        let problem = await #expect(throws: DriverProblem.self) {
            try await ShellDriver.drivers(["/nonexistent/driver"]).open(data: "/tmp", timeScale: 1)
        }
        #expect(problem?.inShort.hasPrefix("/nonexistent/driver: the driver cannot be started, ") == true)
        #expect(problem?.isUnreachable == true)
    }

    @Test func `a driver that refuses the greeting is unreachable in its words`() async throws {
        let script = "read -r line; echo '{\"id\":1,\"error\":\"version 2 only\"}'; sleep 60"
        let problem = await #expect(throws: DriverProblem.self) {
            try await ShellDriver.drivers(["/bin/sh", "-c", script]).open(data: "/tmp", timeScale: 1)
        }
        #expect(problem?.code == .refused(reason: "version 2 only"))
        #expect(problem?.isUnreachable == true)
    }

    @Test func `a run that is interrupted waits for no driver`() async throws {
        let folder = try TemporaryDirectory()
        let link = try await ShellDriver.open("touch '\(folder.path)/asked'; sleep 600")
        let task = Task { try await link.perform(["do": "state"], within: .seconds(600)) }
        // The driver says that it has the command, so that its answer is what the run waits for.
        let deadline = ContinuousClock.now + .seconds(60)
        while (try? folder.text(of: "asked")) == nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect((try? folder.text(of: "asked")) != nil, "the driver never had the command")
        task.cancel()
        let problem = await #expect(throws: DriverProblem.self) { try await task.value }
        #expect(problem?.code == .interrupted)
        await link.end()
    }

    @Test func `every problem says place, what, expected and fix`() {
        let problem = DriverProblem(
            .ended(.code(3)), at: "./driver --fast", command: "launch", output: ["no display", "bye"])
        #expect(
            problem.description == """
                ./driver --fast: the driver ended with exit code 3 before it answered 'launch'
                  standard error ends with:
                    no display
                    bye
                  expected: an answer, then the next command
                  fix: find out why it ended; it may end only after 'quit' and 'crash'
                """)
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastStage

#if os(Linux)
struct ProcessStepTests {
    /// A WebSocket server of a few lines that stores what it is asked in `chats`, and says `done` in so many fragments, and
    /// more than one over REST in chunks.
    private static let script = """
        import base64, hashlib, json, struct
        def frame(opcode, payload, fin=True):
            head = bytes([(0x80 if fin else 0) | opcode])
            n = len(payload)
            return head + (bytes([n]) if n < 126 else bytes([126]) + struct.pack('>H', n)) + payload
        def receive(c, n):
            b = b''
            while len(b) < n:
                more = c.recv(n - len(b))
                if not more: raise EOFError
                b += more
            return b
        def read(c):
            a, b = receive(c, 2)
            n = b & 127
            if n == 126: n = struct.unpack('>H', receive(c, 2))[0]
            mask = receive(c, 4)
            return a & 15, bytes(x ^ mask[i % 4] for i, x in enumerate(receive(c, n)))
        def store():
            try:
                write('chats', 'x' * 50)
                return True
            except OSError:
                return False
        def converse(c, pieces, before):
            head = b''
            while b'\\r\\n\\r\\n' not in head: head += receive(c, 1)
            lines = dict(l.split(': ', 1) for l in head.decode().split('\\r\\n')[1:] if ': ' in l)
            if 'Sec-WebSocket-Key' not in lines:
                if pieces == 1: return c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}')
                c.sendall(b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
                for part in [b'1\\r\\n{\\r\\n', b'1\\r\\n}\\r\\n', b'0\\r\\n\\r\\n']: c.sendall(part)
                return
            key = lines['Sec-WebSocket-Key'].encode() + b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
            c.sendall(b'HTTP/1.1 101 X\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: '
                + base64.b64encode(hashlib.sha1(key).digest()) + b'\\r\\n\\r\\n')
            def say(text, pieces=1):
                cut = [text[i * len(text) // pieces:(i + 1) * len(text) // pieces] for i in range(pieces)]
                for i, part in enumerate(cut): c.sendall(frame(0 if i else 1, part, i == pieces - 1))
            while True:
                opcode, payload = read(c)
                if opcode == 8: return c.sendall(frame(8, payload))
                if opcode != 1: continue
                message = json.loads(payload)
                if message['type'] == 'auth':
                    say(json.dumps({'type': 'connected', 'protocol': 1, 'connectionId': 'k1', 'capabilities': [],
                        'serverTime': '2026-03-01T08:30:00Z', 'limits': {'maxFrameBytes': 1000}}).encode())
                elif message['type'] == 'ping':
                    say(json.dumps({'type': 'pong', 'nonce': message.get('nonce')}).encode())
                elif message['messages'][-1]['content'] == 'die': os._exit(5)
                elif store():
                    for more in before: say(json.dumps(more).encode())
                    say(json.dumps({'type': 'done', 'text': 'yes', 'sessionId': 's1'}).encode(), pieces)
                else: say(json.dumps({'type': 'error', 'error': 'no', 'code': 'persist_failed'}).encode())
        def quietly(c, pieces, before):
            try: converse(c, pieces, before)
            except (EOFError, OSError): pass
            c.close()
        def run(pieces=1, before=[]):
            s = listen(int(sys.argv[1]))
            while True:
                c, _ = s.accept()
                threading.Thread(target=quietly, args=(c, pieces, before), daemon=True).start()

        """

    private func perform(
        _ steps: String, server: String = "run()", bounds: (inout Timeouts) -> Void = { _ in }
    ) async throws -> Performance {
        var subject = try subject("ws://127.0.0.1:1/ws", bounds: bounds)
        subject.start = StartedServer.command(Self.script + server)
        subject.kills = 3
        return await (try stage(subject)).perform(
            try scenario(steps, named: "server/PERSIST/example", needs: #"{"start":true}"#))
    }

    private func acts(_ performance: Performance) -> [String] {
        performance.history.events.filter { $0.lane == .server }.compactMap { event in
            switch event.kind {
            case .act(let name, let details): details.isEmpty ? name : name + JSONValue.object(details).text()
            default: nil
            }
        }
    }

    @Test func `it is killed, and starts again with what it stored`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},
            {"do":"repeat","times":"${kills}","counter":"i","steps":[
                {"do":"kill","after":{"milliseconds":"${i}"}},{"do":"start"},{"do":"connect","on":"A"},
                {"do":"chat","on":"A","as":"c${i}"},{"do":"await","on":"A","type":"done"}]},
            {"do":"start"},{"do":"fence","on":"A"}
            """)
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance)")
        #expect(
            acts(performance)
                == Array(repeating: ["kill", #"exit{"signal":"SIGKILL"}"#, "start"], count: 3).flatMap { $0 })
        expectOrder(performance.history)
    }

    @Test func `it is killed by a frame, which arrived before`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"killOn","on":"A","type":"done"},{"do":"chat","on":"A","as":"c1"},
            {"do":"awaitKill"},{"do":"start"},{"do":"connect","on":"A"},{"do":"fence","on":"A"}
            """)
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance)")
        #expect(
            acts(performance) == [
                #"kill{"on":"A","bytes":"\"done\""}"#, #"exit{"signal":"SIGKILL"}"#, "start",
            ])
        let done = performance.history.events.firstIndex {
            if case .text(.fromServer, let text) = $0.kind { text.contains("done") } else { false }
        }
        let kill = performance.history.events.firstIndex { $0.lane == .server }
        #expect(try #require(done) < #require(kill))
    }

    /// A frame or a response in pieces is killed on when it is whole: nothing less is a promise.
    @Test(arguments: [1, 40]) func `the frame that kills is whole, in however many pieces`(_ pieces: Int) async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},
            {"do":"repeat","times":"${kills}","counter":"i","steps":[
                {"do":"killOn","on":"A","type":"done"},{"do":"chat","on":"A","as":"c${i}"},{"do":"awaitKill"},
                {"do":"await","on":"A","type":"done"},{"do":"start"},{"do":"connect","on":"A"}]}
            """, server: "run(pieces=\(pieces))")
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance)")
        #expect(acts(performance).count { $0 == #"kill{"on":"A","bytes":"\"done\""}"# } == 3)
    }

    @Test func `the type of a frame kills, and no other value with the same word`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"killOn","on":"A","type":"done"},{"do":"chat","on":"A","as":"c1"},
            {"do":"awaitKill"},{"do":"await","on":"A","type":"done"},{"do":"start"}
            """,
            server: "run(before=[{'type': 'toolUse', 'tool': 'done'}, {'type': 'x', 'was': {'type': 'done'}}, 'done'])")
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance)")
    }

    @Test(arguments: [1, 2]) func `the response that kills is whole, in however many pieces`(
        _ pieces: Int
    ) async throws {
        let performance = try await perform(
            """
            {"do":"repeat","times":"${kills}","counter":"i","steps":[
                {"do":"killOn","exchange":"next","bytes":"{}"},{"do":"listSessions"},{"do":"awaitKill"},{"do":"start"}]},
            {"do":"listSessions"}
            """, server: "run(pieces=\(pieces))")
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance)")
        #expect(acts(performance).first == #"kill{"exchange":"next","bytes":"{}"}"#)
        #expect(acts(performance).last == "start")
        let responses = performance.history.events.count { event in
            if case .response(let response) = event.kind { response.body == "{}" } else { false }
        }
        #expect(responses == 4)
    }

    @Test func `it is asked to end`() async throws {
        let performance = try await perform(
            #"{"do":"connect","on":"A"},{"do":"stop"},{"do":"start"},{"do":"connect","on":"A"},{"do":"stop"}"#,
            server: "exit_on_sigterm(0); run()")
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance)")
        #expect(acts(performance) == ["stop", #"exit{"code":0}"#, "start", "stop", #"exit{"code":0}"#])
        #expect(
            performance.history.events.contains {
                if case .eof = $0.kind { $0.lane == .connection("A") } else { false }
            })
    }

    @Test func `its writes are refused and accepted again`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1"},{"do":"await","on":"A","type":"done"},
            {"do":"refuseWrites"},{"do":"chat","on":"A","as":"c2"},{"do":"await","on":"A","type":"error"},
            {"do":"acceptWrites"},{"do":"chat","on":"A","as":"c3"},{"do":"await","on":"A","type":"done"}
            """)
        #expect(performance.problems.isEmpty && performance.stoppedAt == nil, "\(performance)")
        #expect(acts(performance).map { $0.prefix { $0 != "{" } } == ["refuseWrites", "acceptWrites"])
    }

    // MARK: what does not come

    @Test func `a kill whose message never comes ends the scenario`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"killOn","on":"A","type":"never"},{"do":"chat","on":"A","as":"c1"},
            {"do":"awaitKill"}
            """, bounds: { $0.turn = .seconds(1) })
        #expect(performance.problems.isEmpty, "which bytes a server says a thing with is its own affair")
        #expect(performance.stoppedAt == "/steps/3: the server was not killed, because it never sent never")
    }

    @Test func `a kill nobody waited for is told when it never came`() async throws {
        let performance = try await perform(
            #"{"do":"connect","on":"A"},{"do":"killOn","on":"A","type":"never"},{"do":"fence","on":"A"}"#)
        #expect(performance.problems.isEmpty)
        #expect(performance.stoppedAt == "/steps/1: the server was not killed, because it never sent never")
    }

    @Test func `writes of a server that is gone cannot be refused`() async throws {
        let performance = try await perform(#"{"do":"kill"},{"do":"refuseWrites"}"#)
        #expect(
            performance.problems.first?.description.hasPrefix(
                "the fault refuseWrites is impossible here: the server has ended at server/PERSIST/example /steps/1"
            ) == true)
    }

    @Test func `a server that ends by itself is no fault of the suite`() async throws {
        let performance = try await perform(
            """
            {"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","text":"die"},{"do":"awaitClose","on":"A"},
            {"do":"kill"}
            """)
        #expect(performance.problems.isEmpty)
        #expect(acts(performance) == [#"exit{"code":5}"#])
        #expect(performance.stoppedAt == "/steps/3: the server had exited by itself, exit code 5")
    }

    @Test func `a server that does not come back ends the scenario, with its last words`() async throws {
        let performance = try await perform(
            #"{"do":"kill"},{"do":"start"}"#,
            server:
                "if os.path.exists(os.path.join(data, 'once')): sys.exit('cannot recover')\nwrite('once', 'x'); run()")
        #expect(performance.problems.isEmpty)
        #expect(performance.stoppedAt?.contains("it ended with exit code 1 before it accepted connections") == true)
        #expect(performance.stoppedAt?.contains("cannot recover") == true)
        #expect(acts(performance).first == "kill" && !acts(performance).contains("start"))
    }

    // MARK: many scenarios

    @Test func `ordinary scenarios share a server that is started again when it dies`() async throws {
        var subject = try subject("ws://127.0.0.1:1/ws")
        subject.start = StartedServer.command(Self.script + "run()")
        let polite = #"{"do":"connect","on":"A"},{"do":"fence","on":"A"}"#
        let deadly =
            #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","text":"die"},{"do":"awaitClose","on":"A"}"#
        let scenarios = try [
            scenario(polite, named: "server/ENV/first"), scenario(deadly, named: "server/ENV/deadly"),
            scenario(polite, named: "server/ENV/last"),
            scenario(#"{"do":"kill"}"#, named: "server/ENV/own", needs: #"{"start":true}"#),
        ]
        let outcome = await SuiteRun(stage: try stage(subject), jobs: 1).run(scenarios)
        #expect(outcome.startProblem == nil)
        #expect(outcome.performances.map(\.scenario) == scenarios.map(\.name))
        #expect(outcome.performances.allSatisfy { $0.problems.isEmpty && $0.skipped == nil })
        #expect(outcome.performances[0].stoppedAt == nil && outcome.performances[2].stoppedAt == nil)
        #expect(outcome.performances[1].stoppedAt?.hasPrefix("the server exited by itself, exit code 5") == true)
        #expect(acts(outcome.performances[1]) == [#"exit{"code":5}"#])
        #expect(acts(outcome.performances[3]).first == "kill")
    }

    @Test func `whoever ran beside when the server died is performed again alone`() async throws {
        // It dies as soon as two are connected, and the second time at once.
        let server = """
            def meet():
                import time
                for _ in range(1000):
                    if threading.active_count() > 2 or os.path.exists(os.path.join(data, 'died')): break
                    time.sleep(0.01)
                write('died', 'x')
                os._exit(5)
            run()
            """
        let two = ["p1", "p2"].map { ServerSubject.Principal(name: $0) }
        var subject = try subject("ws://127.0.0.1:1/ws", principals: two)
        subject.start = StartedServer.command(Self.script.replacing("os._exit(5)", with: "meet()") + server)
        let polite = #"""
            {"do":"connect","on":"A"},
            {"do":"repeat","times":300,"counter":"i","steps":[{"do":"fence","on":"A"}]}
            """#
        let deadly =
            #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","text":"die"},{"do":"awaitClose","on":"A"}"#
        let scenarios = try [
            scenario(polite, named: "server/ENV/polite"), scenario(deadly, named: "server/ENV/deadly"),
        ]
        let outcome = await SuiteRun(stage: try stage(subject), jobs: 2).run(scenarios)
        #expect(outcome.performances.map(\.scenario) == scenarios.map(\.name))
        #expect(outcome.performances.first?.stoppedAt == nil)
        #expect(outcome.performances.first.map(acts) == [])
        #expect(outcome.performances.last.map(acts) == [#"exit{"code":5}"#])
        #expect(
            outcome.diagnostics == [
                "run again alone, because the server exited while they ran in parallel: server/ENV/polite, "
                    + "server/ENV/deadly"
            ])
    }

    @Test func `a server that keeps dying is given up`() async throws {
        var subject = try subject("ws://127.0.0.1:1/ws")
        subject.start = StartedServer.command(Self.script + "run()")
        let deadly =
            #"{"do":"connect","on":"A"},{"do":"chat","on":"A","as":"c1","text":"die"},{"do":"awaitClose","on":"A"}"#
        let scenarios = try (1...9).map { try scenario(deadly, named: "server/ENV/number-\($0)") }
        let outcome = await SuiteRun(stage: try stage(subject), jobs: 1).run(scenarios)
        #expect(outcome.startProblem == nil)
        #expect(outcome.performances.prefix { $0.skipped == nil }.count == SharedInstance.restarts + 1)
        #expect(outcome.performances.last?.skipped?.contains("it exited 6 times by itself") == true)
    }

    @Test func `nothing is performed against a server that does not start`() async throws {
        var subject = try subject("ws://127.0.0.1:1/ws")
        subject.start = StartCommand(["sh", "-c", "exit 1"])
        let scenarios = try (1...3).map {
            try scenario(#"{"do":"connect","on":"A"}"#, named: "server/ENV/number-\($0)")
        }
        let outcome = await SuiteRun(stage: try stage(subject), jobs: 2).run(scenarios)
        #expect(outcome.startProblem?.isUnreachable == true)
        #expect(outcome.performances.allSatisfy { $0.skipped != nil })
    }

    @Test func `a server that does not start again is no failure of the suite`() async throws {
        let folder = try TemporaryDirectory()
        var subject = try subject("ws://127.0.0.1:1/ws")
        let once = "if os.path.exists('\(folder.path)/begun'): sys.exit(3)\nwrite('\(folder.path)/begun', 'x')\n"
        subject.start = StartedServer.command(once + Self.script + "run()")
        let scenarios = try (1...2).map {
            try scenario(#"{"do":"kill"}"#, named: "server/ENV/number-\($0)", needs: #"{"start":true}"#)
        }
        let outcome = await SuiteRun(stage: try stage(subject), jobs: 1).run(scenarios)
        #expect(outcome.startProblem == nil && outcome.performances.allSatisfy(\.problems.isEmpty))
        #expect(outcome.performances[1].stoppedAt?.hasPrefix("its server did not start: ") == true)
    }

    @Test func `a server that never listens is waited for once`() async throws {
        let folder = try TemporaryDirectory()
        var subject = try subject("ws://127.0.0.1:1/ws")
        subject.start = StartCommand(["sh", "-c", "echo >> '\(folder.path)/starts'; exec sleep 600"])
        subject.timeouts.start = .seconds(2)
        var scenarios = try (1...3).map {
            try scenario(#"{"do":"kill"}"#, named: "server/ENV/number-\($0)", needs: #"{"start":true}"#)
        }
        scenarios.append(try scenario(#"{"do":"connect","on":"A"}"#, named: "server/ENV/number-4"))
        let outcome = await SuiteRun(stage: try stage(subject), jobs: 1).run(scenarios)
        #expect(outcome.startProblem?.description.contains(" in 2 s") == true)
        #expect(outcome.performances.count { $0.skipped != nil } == 3)
        #expect(try String(contentsOfFile: folder.path + "/starts", encoding: .utf8) == "\n")
    }

    @Test func `a command that starts no WebSocket server is no start`() async throws {
        var subject = try subject("ws://127.0.0.1:1/ws")
        subject.start = StartedServer.command(
            #"""
            s = listen(int(sys.argv[1]))
            while True:
                c, _ = s.accept()
                c.recv(65536)
                c.sendall(b'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
                c.close()
            """#)
        let scenarios = try (1...3).map {
            try scenario(#"{"do":"connect","on":"A"}"#, named: "server/ENV/number-\($0)")
        }
        let outcome = await SuiteRun(stage: try stage(subject), jobs: 2).run(scenarios)
        #expect(outcome.startProblem?.code == .upgradeRefused(status: 404, path: "/ws"))
        #expect(outcome.startProblem?.isUnreachable == true)
        #expect(outcome.performances.allSatisfy { $0.skipped != nil })
    }

    @Test func `without a command such scenarios are left out`() async throws {
        let performance = await (try stage(subject("ws://127.0.0.1:1/ws"))).perform(
            try scenario(#"{"do":"kill"}"#, needs: #"{"start":true}"#))
        #expect(performance.skipped == "it needs --start")
    }
}
#endif

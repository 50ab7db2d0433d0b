import Foundation
import Holdfast
import HoldfastPlatform
import TestSupport
import Testing

@testable import HoldfastStage
@testable import HoldfastTransport

struct SubjectInstanceTests {
    private func problem(_ command: StartCommand, within limit: Duration = StartedServer.patience) async
        -> HarnessProblem?
    {
        do throws(HarnessProblem) {
            await (try SubjectInstance.start(command, within: limit)).end()
            return nil
        } catch {
            return error
        }
    }

    // MARK: starting

    @Test func `a server that listens is ready, and its folder goes with it`() async throws {
        let folder = try await StartedServer.with(StartedServer.command("write('here', 'x'); serve()")) { instance in
            #expect(instance.exit == nil)
            #expect(instance.data("here") == "x")
            return instance.folder.path
        }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `readiness is what the server says, where it says so`() async throws {
        var command = StartedServer.command(
            "s = listen(int(sys.argv[1])); print('half of it: now lis', end='', flush=True); time.sleep(0.3);"
                + "write('said', 'x'); print('tening', flush=True); time.sleep(600)")
        command.ready = "now listening"
        try await StartedServer.with(command) { instance in #expect(instance.data("said") == "x") }
    }

    @Test func `a server that ends before it listens is unreachable, with its last words`() async {
        let problem = await problem(StartCommand(["sh", "-c", "echo first; echo 'no such database' >&2; exit 3"]))
        #expect(problem?.isUnreachable == true)
        #expect(
            problem?.description.hasPrefix(
                "sh -c echo first; echo 'no such database' >&2; exit 3: it ended with exit code 3 before it accepted connections"
            ) == true)
        #expect(problem?.description.contains("\n    first\n    no such database\n") == true)
    }

    @Test func `neither the command nor the last words of a server that fails tell a credential`() async {
        let long = String(repeating: "x", count: 195) + "very-secret-1"
        var command = StartCommand(["sh", "-c", "echo \"known: $0 $1\"; echo \(long); exit 3", "very-secret-1", "ab12"])
        command.owners = [ServerSubject.Principal(name: "p1", token: "very-secret-1", device: "ab12")]
        let words = await problem(command)?.description ?? ""
        #expect(words.contains("known: ‹token of p1› ‹device of p1›"), "\(words)")
        #expect(!words.contains("very-") && !words.contains("ab12"), "\(words)")
    }

    @Test func `a server that never listens is given up and ended`() async throws {
        let folder = try TemporaryDirectory()
        let problem = await problem(
            StartCommand(["sh", "-c", "echo $$ > '\(folder.path)/process'; exec sleep 600"]), within: .seconds(1))
        #expect(
            problem?.description.contains("no connection on ws://127.0.0.1:") == true, "\(problem?.description ?? "")")
        let process = try #require(folder.number("process"))
        #expect(!StartedServer.isAlive(process))
    }

    @Test func `a program that is not there is unreachable`() async {
        let problem = await problem(StartCommand(["/no/such/program"]))
        #expect(problem?.isUnreachable == true)
        #expect(problem?.description.hasPrefix("/no/such/program: it cannot be started: ") == true)
    }

    @Test func `another port is tried when the server cannot listen`() async throws {
        let folder = try TemporaryDirectory()
        let command = StartedServer.command(
            """
            seen = '\(folder.path)/seen'
            if not os.path.exists(seen):
                open(seen, 'w').write(sys.argv[1])
                sys.exit('the port is taken')
            serve()
            """)
        try await StartedServer.with(command) { instance in
            #expect(folder.number("seen").map { Int($0) } != instance.webSocket.port)
        }
    }

    @Test func `a fixed address at which somebody listens is not taken for the server`() async throws {
        let listener = try await RawListener.start { _ in }
        let problem = await problem(StartedServer.command(url: "ws://127.0.0.1:\(listener.port)/ws"))
        #expect(
            problem?.description.contains(
                "another program already listens on ws://127.0.0.1:\(listener.port)/ws")
                == true)
        await listener.stop()
    }

    @Test func `an interrupted start leaves nothing behind`() async throws {
        let folder = try TemporaryDirectory()
        let start = Task {
            try await SubjectInstance.start(
                StartCommand(["sh", "-c", "echo $$ > '\(folder.path)/process'; exec sleep 600"]), within: .seconds(600))
        }
        let process = try await folder.awaitNumber("process")
        start.cancel()
        await #expect(throws: HarnessProblem.self) { _ = try await start.value }
        #expect(!StartedServer.isAlive(process))
    }

    // MARK: ending

    @Test func `a server that ignores SIGTERM is killed`() async throws {
        let command = StartedServer.command("signal.signal(signal.SIGTERM, signal.SIG_IGN); serve()")
        try await StartedServer.with(command) { instance in
            await instance.stop(within: .milliseconds(300))
            #expect(instance.exit == .signal("SIGKILL"))
        }
    }

    @Test func `a server that keeps SIGTERM ends with its own code`() async throws {
        let command = StartedServer.command("exit_on_sigterm(7); serve()")
        try await StartedServer.with(command) { instance in
            await instance.stop(within: StartedServer.patience)
            #expect(instance.exit == .code(7))
        }
    }

    @Test func `what a server started goes with it, also what left its group`() async throws {
        let folder = try TemporaryDirectory()
        let command = StartedServer.command(
            """
            def child(name, leaves):
                if os.fork() == 0:
                    if leaves:
                        os.setsid()
                        if os.fork() > 0: os._exit(0)
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                    with open('\(folder.path)/new' + name, 'w') as f: f.write(str(os.getpid()))
                    os.rename('\(folder.path)/new' + name, '\(folder.path)/' + name)
                    while True: time.sleep(600)
            child('stays', False)
            child('leaves', True)
            serve()
            """)
        let children = try await StartedServer.with(command) { _ in
            let children = [try await folder.awaitNumber("stays"), try await folder.awaitNumber("leaves")]
            #expect(children.allSatisfy(StartedServer.isAlive))
            return children
        }
        #expect(!StartedServer.isAlive(children[0]))
        #if os(Linux)
        #expect(!StartedServer.isAlive(children[1]))
        #endif
    }

    @Test(arguments: [
        (
            [
                "x.js:3", "TypeError: no type", "    at parse (x.js:3:9)", "    at emitErrorNT (y.js:1)", "",
                "Node.js v20",
            ],
            "TypeError: no type"
        ),
        (["Traceback (most recent call last):", "  File \"s.py\", line 1", "KeyError: 'type'"], "KeyError: 'type'"),
        (
            ["panic: runtime error: nil map", "", "goroutine 1 [running]:", "exit status 2"],
            "panic: runtime error: nil map"
        ),
        (["listening", "good-bye", ""], "good-bye"),
    ])
    func `of what a process said last the error is told`(lines: [String], complaint: String) {
        #expect(OutputTail.complaint(in: lines) == complaint)
        #expect(OutputTail.complaint(in: []) == nil)
    }

    @Test func `a long line of output is cut to 200 characters`() throws {
        let pipe = try #require(Descriptor.pipe())
        let tail = OutputTail(reading: pipe.reading, ready: nil)
        try pipe.writing.writeAll(String(repeating: "x", count: 300) + "\n")
        pipe.writing.close()
        tail.finish()
        #expect(tail.lines().map(\.count) == [200])
    }

    @Test func `a server that floods its output waits for nobody, and only the end is kept`() async throws {
        let command = StartedServer.command(
            "import threading; threading.Thread(target=serve, daemon=True).start()\n"
                + "while True: sys.stdout.write('x' * 65536)")
        try await StartedServer.with(command) { instance in
            let probe = try await RawConnection.open(port: instance.webSocket.port, timeout: StartedServer.patience)
            while await probe.next() != nil {}
            #expect(instance.lastOutput.map(\.utf8.count).reduce(0, +) <= OutputTail.kept)
        }
    }

    @Test func `each end is told once, before anybody who waits for it goes on`() async throws {
        let told = Mutex<[SubjectExit]>([])
        try await StartedServer.with(StartedServer.command()) { instance in
            _ = instance.observe { exit in told.withLock { $0.append(exit) } }
            #expect(instance.kill())
            #expect(await instance.exit(within: StartedServer.patience) == .signal("SIGKILL"))
            #expect(told.withLock { $0 } == [.signal("SIGKILL")])
            #expect(!instance.kill())
        }
        #expect(told.withLock { $0.count } == 1)
    }

    // MARK: starting again

    @Test func `it starts again with its data and its address`() async throws {
        let command = StartedServer.command("write('log', sys.argv[1] + ' '); serve()")
        try await StartedServer.with(command) { instance in
            let port = instance.webSocket.port
            for _ in 0..<3 {
                instance.kill()
                _ = await instance.exit(within: StartedServer.patience)
                try await instance.restart(within: StartedServer.patience)
            }
            #expect(instance.exit == nil && instance.webSocket.port == port)
            #expect(instance.data("log") == String(repeating: "\(port) ", count: 4))
        }
    }

    // MARK: writes

    #if os(Linux)
    /// A second process of the server may take a moment longer to listen.
    private func expect(_ answer: String, on port: Int) async throws {
        var probe: RawConnection?
        while probe == nil { probe = try? await RawConnection.open(port: port, timeout: StartedServer.patience) }
        var bytes: [UInt8] = []
        while let more = await probe?.next() { bytes += more }
        #expect(String(decoding: bytes, as: UTF8.self) == answer)
    }

    @Test func `refused writes fail in every process of it, and succeed again`() async throws {
        let command = StartedServer.command(
            """
            def attempt():
                try:
                    with open(os.path.join(data, 'file'), 'wb', buffering=0) as f:
                        done = 0
                        while done < 100: done += f.write(b'x' * (100 - done))
                    return 'ok'
                except OSError as e:
                    return str(e.errno)
            os.fork()
            if os.getpid() == os.getpgid(0): serve(attempt)
            else:
                sys.argv[1] = int(sys.argv[1]) + 1
                serve(attempt)
            """)
        try await StartedServer.with(command) { instance in
            let ports = [instance.webSocket.port, instance.webSocket.port + 1]
            for port in ports { try await expect("ok", on: port) }
            let refused = try instance.limitFileSize(to: ProcessGroup.refusedBeyond)
            for port in ports { try await expect("27", on: port) }
            let accepted = try instance.limitFileSize(to: nil)
            for port in ports { try await expect("ok", on: port) }
            #expect(refused == 2 && accepted == 2)
            instance.kill()
            _ = await instance.exit(within: StartedServer.patience)
            #expect(throws: ProcessGroup.LimitProblem.noProcess) { _ = try instance.limitFileSize(to: nil) }
        }
    }
    #endif
}

/// A folder in which processes say who they are.
extension TemporaryDirectory {
    /// The number in a file; nil while there is none.
    func number(_ name: String) -> Int32? {
        (try? text(of: name)).flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// The number in a file that is about to appear.
    func awaitNumber(_ name: String) async throws -> Int32 {
        for _ in 0..<3000 {
            if let number = number(name) { return number }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Missing(name: name)
    }

    struct Missing: Error {
        let name: String
    }
}

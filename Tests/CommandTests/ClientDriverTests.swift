import Foundation
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastTransport

/// `conformance client` and the drivers it meets, obedient and not.
@Suite struct ClientDriverTests {
    /// A driver in shell that shows an empty screen; `body` stands before the answer to every command but `hello`.
    private func driver(_ body: String, greeting: String = #""name":"Shell""#) -> [String] {
        let state = #"{"connection":"connecting","sessionId":null,"thinking":false,"messages":[]}"#
        let script = """
            while read -r line; do
                id=${line#*'"id":'}; id=${id%%[,\\}]*}
                case $line in
                *'"do":"hello"'*) echo "{\\"id\\":$id,\\"ok\\":true,\(greeting.replacing("\"", with: "\\\""))}" ;;
                *) \(body)
                   echo "{\\"id\\":$id,\\"ok\\":true,\\"state\\":\(state.replacing("\"", with: "\\\""))}" ;;
                esac
            done
            """
        return ["--", "/bin/sh", "-c", script]
    }

    @Test func `a program that is not there ends with 69 and says what to do`() async throws {
        let run = try await BuiltBinary.run(["client", "--", "/nonexistent/driver"])
        #expect(run.status == 69)
        #expect(run.err.hasPrefix("/nonexistent/driver: the driver cannot be started, "))
        #expect(
            run.err.contains("fix: run the command by hand; '--' is followed by the program and its arguments"))
        #expect(run.out.isEmpty)
    }

    @Test func `a driver that prints text is shown with its line`() async throws {
        let run = try await BuiltBinary.run(
            ["client", "--"] + ["/bin/sh", "-c", "echo 'Hello there'; exec sleep 600"])
        #expect(run.status == 69)
        #expect(run.err.contains("instead of an answer to 'hello' came 'Hello there' (1:1: "))
        #expect(run.err.contains("fix: print only replies to standard output; logs belong on standard error"))
    }

    @Test func `a driver that dies at once is shown with its code and its last words`() async throws {
        let run = try await BuiltBinary.run(["client", "--", "/bin/sh", "-c", "echo 'no display' >&2; exit 7"])
        #expect(run.status == 69)
        #expect(run.err.contains("the driver ended with exit code 7 before it answered 'hello'"))
        #expect(run.err.contains("    no display"))
    }

    @Test func `a driver that cannot launch its app is refused in its words`() async throws {
        let body = #"echo "{\"id\":$id,\"error\":\"the simulator is not booted\"}"; continue"#
        let run = try await BuiltBinary.run(["client"] + driver(body))
        #expect(run.status == 69)
        #expect(run.err.contains("Shell: the driver refuses 'launch': the simulator is not booted"))
    }

    @Test func `a client that never connects is told what it violates`() async throws {
        let run = try await BuiltBinary.run(["client", "--only", "CLIENT-37"] + driver(":"))
        #expect(run.status == 1 || run.status == 2, "\(run.err)")
        #expect(run.out.firstMatch(of: /[0-9] pass\b/) == nil)
        #expect(run.out.contains("Shell at /bin/sh -c"))
    }

    @Test func `what a driver cannot do stays untested by name`() async throws {
        let greeting = #""name":"Shell","profiles":["client-core","client-push"],"unsupported":["receivePush"]"#
        let run = try await BuiltBinary.run(["client", "--only", "CLIENT-22"] + driver(":", greeting: greeting))
        #expect(run.status == 2)
        #expect(run.out.contains("untested: 1 clause, because the driver does not support receivePush: CLIENT-22"))
        #expect(run.out.contains("diagnostic: the driver declares that it does not support receivePush"))
    }

    @Test func `a driver that dies in the middle is told as that in every scenario`() async throws {
        let body = #"case $line in *'"do":"background"'*) echo 'out of memory' >&2; exit 3 ;; esac"#
        let run = try await BuiltBinary.run(["client", "--only", "CLIENT-36"] + driver(body))
        #expect(run.status == 1 || run.status == 2, "\(run.status) \(run.err)")
        #expect(run.out.firstMatch(of: /[0-9] pass\b/) == nil)
        #expect(!run.out.contains("suite failure in"))
    }

    @Test func `nothing of a driver is left when the run is over`() async throws {
        let folder = try TemporaryDirectory()
        let note = "echo $$ >> \(folder.path)/processes"
        let body = "trap '' TERM; \(note); sh -c '\(note); exec sleep 600' &"
        _ = try await BuiltBinary.run(["client", "--only", "CLIENT-36"] + driver("\(body) :"))
        let processes = try processes(in: folder)
        #expect(processes.count >= 2)
        for process in processes { #expect(try await Processes.ends(process)) }
    }

    @Test func `Ctrl-C ends the run with what was learnt, and the drivers`() async throws {
        let folder = try TemporaryDirectory()
        let body = "case $line in *launch*) echo $$ >> \(folder.path)/processes ;; esac"
        let (_, output) = try await BuiltBinary.run(["client"] + driver(body), endsByItself: true) { running in
            // The first launch is the look at the driver; those of scenarios follow.
            while try processes(in: folder).count < 2 { try await Task.sleep(for: .milliseconds(50)) }
            try running.interrupt()
        }
        #expect([1, 2].contains(output.status), "\(output.err)")
        #expect(output.out.split(separator: "\n").first?.contains("(interrupted)") == true, "\(output.out)")
        for process in try processes(in: folder) { #expect(try await Processes.ends(process)) }
    }

    private func processes(in folder: TemporaryDirectory) throws -> [Int32] {
        guard FileManager.default.fileExists(atPath: folder.path + "/processes") else { return [] }
        return try folder.text(of: "processes").split(separator: "\n").compactMap { Int32($0) }
    }

    @Test func `every flag that is wrong is told at once`() async throws {
        let run = try await BuiltBinary.run([
            "client", "--time-scale", "0.5", "--profile", "sync", "--defect", "client-dances", "--", "driver",
        ])
        #expect(run.status == 64)
        #expect(run.err.contains("--time-scale: '0.5' is out of range"))
        #expect(run.err.contains("--profile: unknown name 'sync'"))
        #expect(run.err.contains("--defect: only works on the reference client"))
        let none = try await BuiltBinary.run(["client"])
        #expect(none.status == 64)
        #expect(none.err.hasPrefix("client: no driver\n"))
        let both = try await BuiltBinary.run(["client", "--reference", "--", "driver"])
        #expect(both.err.hasPrefix("client: more than one driver\n"))
    }

    @Test func `the reference client keeps a clause, and a defect of it does not`() async throws {
        let kept = try await BuiltBinary.run(["client", "--reference", "--only", "CLIENT-36"])
        #expect(kept.status == 0, "\(kept.out)\(kept.err)")
        let broken = try await BuiltBinary.run([
            "client", "--reference", "--defect", "client-trusts-its-flag", "--only", "CLIENT-36",
        ])
        #expect(broken.status == 1, "\(broken.out)\(broken.err)")
        #expect(
            broken.out.contains(
                "again: conformance client --reference --defect client-trusts-its-flag --only CLIENT-36@client/CLIENT/"),
            "\(broken.out)")
    }

    @Test func `a life of the reference client is judged, and its command repeats it`() async throws {
        let lived = try await BuiltBinary.run([
            "client", "--reference", "--life", "4s", "--seed", "3", "--only", "life", "--format", "json=-",
        ])
        #expect(lived.status == 0, "\(lived.out)\(lived.err)")
        #expect(lived.out.contains("client/life/3") && lived.out.contains("--life 4s --seed 3"), "\(lived.out)")
        let none = try await BuiltBinary.run(["client", "--reference", "--life", "soon"])
        #expect(none.status == 64, "\(none.err)")
    }

    @Test func `a device connects from another process`() async throws {
        let folder = try TemporaryDirectory()
        let listener = try await RawListener.start { _ in }
        let address = "127.0.0.1:\(listener.port)"
        await listener.stop()
        let (device, output) = try await BuiltBinary.run(
            [
                "client", "--listen", address, "--only", "CLIENT-36", "--out", folder.path + "/out",
            ], endsByItself: true
        ) { _ in
            // Not there yet is unreachable, and the device tries again.
            var device = try await BuiltBinary.run(["chat", "--connect", "ws://\(address)/"])
            for _ in 0..<100 where device.status == 69 {
                try await Task.sleep(for: .milliseconds(100))
                device = try await BuiltBinary.run(["chat", "--connect", "ws://\(address)/"])
            }
            return device.status
        }
        #expect(device == 0)
        #expect(output.err.hasPrefix("waiting for a driver at ws://\(address)/\n"))
        let report = try JSONParser.value(folder.text(of: "out/report.json"))
        #expect(report["address"]?.stringValue == "ws://\(address)/")
        #expect(report["exit"]?["code"]?.intValue == 0, "\(output.out)")
    }
}

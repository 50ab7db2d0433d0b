import Holdfast
import HoldfastJSON
import HoldfastSmallFoundation
import HoldfastTranscript

/// Runs a few turns of a server under strace, and shows in which order it stored, synced and sent (PERSIST-8).
struct PowerLossTrace {
    /// The stage whose subject is traced, in an instance of its own.
    let stage: ServerStage

    /// Several, because an order that is left to chance is sometimes the right one.
    private static let questions = ["lighthouse", "rudder", "compass", "anchor", "foghorn"].map {
        "Please say in a sentence of your own what a \($0) is for."
    }
    private static let largestTrace = 64 << 20
    /// How long an answer that was told is awaited in a file.
    private static let patience = Duration.seconds(3)
    private static let calls = [
        "write", "writev", "pwrite64", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg", "fsync", "fdatasync",
        "sync", "syncfs", "open", "openat", "rename", "renameat", "renameat2",
    ]

    /// The result in one line, which is the same whenever the server does the same.
    func line() async -> String { "power loss (PERSIST-8): \(await outcome())" }

    private func outcome() async -> String {
        guard let start = stage.subject.startCommand else { return "skipped: it needs --start" }
        if let obstacle = await Self.obstacle() { return "skipped: \(obstacle)" }
        let folder: DataFolder
        let scenario: Scenario
        do {
            folder = try DataFolder.temporary()
            scenario = try ScenarioReader.scenario(Self.scenario, named: "server/trace", file: "trace")
        } catch {
            return "skipped: \(error)"
        }
        defer { folder.remove() }
        // A trace holds whatever the server reads and writes.
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        let trace = "\(folder.path)/trace"
        var traced = start
        traced.command = Self.command(writing: trace) + start.command
        do throws(HarnessProblem) {
            let instance = try await SubjectInstance.start(
                traced, data: start.folder(for: "trace"), within: stage.subject.timeouts.start)
            let performance = await stage.at(instance).perform(scenario, principals: nil, on: instance)
            let order = await order(in: trace, after: performance)
            await instance.end()
            if order.isUndecided { return order.description }
            return "\(order) (the worst of five turns)"
        } catch {
            return "skipped: the server does not start under strace"
        }
    }

    /// The contents of the trace, once it shows the answers in a file: a server may write them late.
    private func order(in trace: String, after performance: Performance) async -> DurabilityOrder {
        let answers = Self.answers(in: performance.history)
        let end = ContinuousClock.now + Self.patience
        while true {
            guard let bytes = FileManager.default.contents(atPath: trace), bytes.count <= Self.largestTrace else {
                return .undecided("there is no trace that could be read")
            }
            let orders = DurabilityOrder.orders(
                of: answers, to: Self.questions.joined(separator: "\n"), in: TraceReader.calls(in: Array(bytes)))
            guard orders.contains(where: \.isUndecided), ContinuousClock.now < end, !Task.isCancelled else {
                return .worst(orders)
            }
            try? await Task.sleep(for: .milliseconds(200), clock: .continuous)
        }
    }

    /// The reason why a program cannot be traced here; nil if one was.
    private static func obstacle() async -> String? {
        do {
            let probe = try await SubjectProcess.start(
                SubjectProcess.Launch(command: ["strace", "-qq", "-f", "-o", "/dev/null", "true"]))
            let exit = await probe.exit(within: .seconds(20))
            await probe.end(patience: .zero)
            return exit == .code(0) ? nil : "not allowed here"
        } catch {
            return "strace is not installed"
        }
    }

    private static func command(writing file: String) -> [String] {
        [
            "strace", "-f", "-qq", "-ttt", "-yy", "-s", "70000", "-I", "2", "-e", "signal=none", "-e",
            // A system call that this machine does not have is not an error with a question mark.
            "trace=" + calls.map { "?\($0)" }.joined(separator: ","), "-o", file, "--",
        ]
    }

    private static func answers(in history: History) -> [String] {
        history.events.compactMap { event in
            guard case .text(.fromServer, let text) = event.kind, let frame = try? JSONParser.document(text).root,
                frame["type"] == "done"
            else { return nil }
            return frame["text"]?.stringValue
        }
    }

    /// Plain text, which agents of every kind answer: a script would put the answer into the question.
    private static let scenario: String = {
        let steps = questions.enumerated().map { number, question in
            let session = number == 0 ? "" : #""session": "${s1}", "#
            return """
                { "do": "chat", "on": "A", "as": "c\(number)", \(session)"text": "\(question)" },
                { "do": "await", "on": "A", "type": "done", "save": { "s1": "/sessionId" } }
                """
        }
        return """
            {
              "title": "Turns under a trace", "summary": "Questions in plain text.", "role": "server",
              "clauses": ["PERSIST-8"], "needs": { "start": true },
              "steps": [{ "do": "connect", "on": "A" }, \(steps.joined(separator: ","))]
            }
            """
    }()
}

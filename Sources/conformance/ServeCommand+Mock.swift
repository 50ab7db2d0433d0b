import Holdfast
import Reference
import Stage
import Transport

// What makes the reference server a mock for people who develop a client.
extension ServeCommand {
    /// What the agent says, as flags have it.
    func chosenReplies() throws -> Replies {
        if reply != nil, replies != nil {
            throw Tool.refuse(
                "--reply", "it is given beside --replies", expected: "one of the two",
                fix: "put the text into the file, as {\"default\": {\"reply\": …}}")
        }
        if let reply { return Replies(always: reply) }
        guard let replies else { return Replies() }
        let text = replies == "demo" ? nil : String(decoding: try Files.bytes(of: replies), as: UTF8.self)
        do throws(InputProblems) {
            guard let text else { return try Replies.demo() }
            return try Replies(text, file: replies)
        } catch {
            throw Tool.refuse(error.problems)
        }
    }

    /// The rules for faults; every wrong one is told at once.
    func chosenFaults() throws -> [FaultRule] {
        var problems: [InputProblem] = []
        let rules = fault.compactMap { text -> FaultRule? in
            do throws(InputProblem) {
                return try FaultRule(text)
            } catch {
                problems.append(error)
                return nil
            }
        }
        if !problems.isEmpty { throw Tool.refuse(problems) }
        return rules
    }

    /// Where the control port is to be; nil for none.
    func controlAddress() throws -> Services.Address? {
        guard let control else { return nil }
        let address = try Services.Address(control.hasPrefix(":") ? "127.0.0.1\(control)" : control, flag: "--control")
        guard ["127.0.0.1", "localhost", "::1", "[::1]"].contains(address.host) else {
            throw Tool.refuse(
                "--control", "'\(address.host)' is not this machine alone", expected: "127.0.0.1, localhost or [::1]",
                fix: "give the port alone; from elsewhere, forward a port to it")
        }
        return address
    }

    /// How frames are printed: lines on a terminal, nothing in a pipe unless asked for.
    var frameStyle: FramePrinter.Style { frames ?? (Console.isTerminal ? .brief : .none) }

    /// Opens the control port.
    func openControl(_ mock: MockServer, at address: Services.Address?) async throws -> TransportServer? {
        guard let address else { return nil }
        let host = address.host == "[::1]" ? "::1" : address.host
        do {
            return try await ControlDoor.open(mock, host: host, port: address.port)
        } catch {
            throw Tool.refuse("--control", error)
        }
    }

    /// Rules that nothing ever matched; a typing error in a session's name looks so.
    func tellUnusedFaults(_ record: MockRecord?) {
        for (rule, fired) in record?.faults ?? [] where fired == 0 {
            Console.error("the fault '\(rule.text)' was never followed")
        }
    }
}

extension Replies {
    /// The replies that come along, to try an app with.
    static func demo() throws(InputProblems) -> Replies {
        let file = "replies/demo.json"
        return try Replies(SpecificationFiles.embedded.texts[file] ?? "", file: "Spec/\(file)")
    }
}

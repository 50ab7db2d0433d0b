import ArgumentParser
import Holdfast
import HoldfastQRCode
import HoldfastReport
import HoldfastSuite

/// Flags that describe a client to test.
struct ClientFlags: ParsableArguments {
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The driver to start, after '--': a program and its arguments.", valueName: "command"))
    var command: [String] = []

    @Option(
        help: ArgumentHelp(
            "Wait for the driver of a device on this address, which the device has to reach; port 0 takes a free one.",
            valueName: "host:port"))
    var listen: String?

    @Flag(help: "Test the reference client of this program.")
    var reference = false

    @Option(
        help: ArgumentHelp(
            "Break the reference client in a named way; may be given several times.", valueName: "name"),
        completion: .clientDefects)
    var defect: [String] = []

    @Option(
        help: ArgumentHelp("Let the reference client differ in a legal way.", valueName: "name"),
        completion: .clientVariations)
    var variation: [String] = []

    @Option(
        help: ArgumentHelp(
            "A profile it declares; may be given several times. Default: what its driver says, else client-core.",
            valueName: "name"), completion: .clientProfiles)
    var profile: [String] = []

    @Option(
        help: ArgumentHelp(
            "By how much the client divides its own timers, from 1 to 1000; what the server tells is never divided.",
            valueName: "number"))
    var timeScale: Double = 10

    @Option(
        help: ArgumentHelp(
            "Where the suite's server listens for the client; 127.0.0.1, or the host of --listen.", valueName: "host"))
    var host: String?

    /// The flags as one description.
    func client() throws -> ClientUnderTest {
        var problems: [InputProblem] = []
        let given = [!command.isEmpty, listen != nil, reference].count { $0 }
        if given != 1 {
            problems.note(
                "client", given == 0 ? "no driver" : "more than one driver",
                expected: "one of -- COMMAND, --listen HOST:PORT, --reference",
                fix: given == 0
                    ? "name the program that drives the client: \(Tool.command) client -- ./my-driver"
                    : "leave out all but one")
        }
        for (flag, names) in [("--defect", defect), ("--variation", variation)] where !names.isEmpty && !reference {
            problems.note(
                flag, "nothing can break a client that is not ours", expected: "--reference beside it",
                fix: "add --reference, or test '-- conformance chat --driver \(flag) \(names[0])'")
        }
        let driver: ClientUnderTest.Driver =
            if reference || !defect.isEmpty || !variation.isEmpty {
                .reference(program: try Tool.program(), defects: defect, variations: variation)
            } else if let listen {
                .device(listening: listen)
            } else {
                .command(command)
            }
        var client = ClientUnderTest(driver)
        (client.profiles, client.timeScale, client.host) = (profile, timeScale, host)
        try (problems + client.problems).throwAll()
        return client
    }

    /// Tells a person what lets a device connect: the address, and a picture of it for a camera where there is a terminal.
    static func invite(to address: String) {
        Console.error("waiting for a driver at \(address)")
        guard Console.showsProgress, let code = QRCode(address) else { return }
        Console.error(code.drawing())
    }

    /// The command that tests this client again: its flags, and what stands behind `--`.
    func rerun(spec: String?) -> RunReport.Again {
        var words = ["\(Tool.command) client"]
        if reference { words.append("--reference") }
        words += defect.map { "--defect \($0)" } + variation.map { "--variation \($0)" }
        if let listen { words.append("--listen \(listen)") }
        words += profile.map { "--profile \($0)" }
        if timeScale != 10 { words.append("--time-scale \(ClientUnderTest.readable(timeScale))") }
        if let host { words.append("--host \(host)") }
        if let spec { words.append("--spec \(ShellWords.quoted(spec))") }
        let driver = command.map(ShellWords.quoted).joined(separator: " ")
        return RunReport.Again(words.joined(separator: " "), driver: command.isEmpty ? nil : driver)
    }
}

import ArgumentParser
import Holdfast
import HoldfastReport
import HoldfastSuite

struct ClientFlags: ParsableArguments {
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The driver to start, after '--': a program and its arguments.", valueName: "command"))
    var command: [String] = []

    @Option(
        help: ArgumentHelp(
            "Wait for a driver on a device to connect to this address; port 0 picks a free one.",
            valueName: "host:port"))
    var listen: String?

    @Flag(help: "Test the built-in reference client.")
    var reference = false

    @Option(
        help: ArgumentHelp(
            "Add this bug to the reference client. Repeatable.", valueName: "name"),
        completion: .clientDefects)
    var defect: [String] = []

    @Option(
        help: ArgumentHelp("Add this legal variation to the reference client. Repeatable.", valueName: "name"),
        completion: .clientVariations)
    var variation: [String] = []

    @Option(
        help: ArgumentHelp(
            "A profile the client declares. Repeatable. Default: taken from its driver, or client-core.",
            valueName: "name"), completion: .clientProfiles)
    var profile: [String] = []

    @Option(
        help: ArgumentHelp(
            "The dialect of the client: a name from 'conformance dialect list', or a dialect file. Default: canonical.",
            valueName: "name|file"), completion: .dialects)
    var dialect: String?

    @Option(
        help: ArgumentHelp(
            "How much faster the client runs its own timers, from 1 to 1000; delays set by the server stay as they are.",
            valueName: "number"))
    var timeScale: Double = 10

    @Option(
        help: ArgumentHelp(
            "The address the suite's server listens on. Default: 127.0.0.1, or the host of --listen.", valueName: "host"
        ))
    var host: String?

    func client() throws -> ClientUnderTest {
        var problems: [InputProblem] = []
        let given = [!command.isEmpty, listen != nil, reference].count { $0 }
        if given != 1 {
            problems.note(
                "client", given == 0 ? "no driver" : "more than one driver",
                expected: "one of -- COMMAND, --listen HOST:PORT, --reference",
                fix: given == 0
                    ? "name the program that drives the client: \(Tool.command) client -- ./my-driver"
                    : "keep one and remove the others")
        }
        for (flag, names) in [("--defect", defect), ("--variation", variation)] where !names.isEmpty && !reference {
            problems.note(
                flag, "only works on the reference client", expected: "--reference with it",
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
        (client.profiles, client.dialect, client.timeScale, client.host) = (profile, dialect, timeScale, host)
        try (problems + client.problems).throwAll()
        return client
    }

    static func invite(to address: String) { Console.error("waiting for a driver at \(address)") }
}

import ArgumentParser
import Basics
import Foundation
import Holdfast
import ReferenceClient
import Stage
import Transport

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

    /// Where drivers come from, and what has to be ended with them.
    struct Source {
        let drivers: any DriverSource
        /// How reports call the place.
        let place: String
        /// Where the app finds the suite's server.
        let host: String
    }

    /// Listens where a device is awaited, lets the body meet the drivers, and ends everything.
    func meeting<Result>(_ specification: Specification, _ body: (Source) async throws -> Result) async throws -> Result
    {
        let problems = problems
        guard problems.isEmpty else { throw Tool.refuse(problems) }
        let schemas: DriverSchemas
        do {
            schemas = try DriverSchemas(specification)
        } catch {
            throw Tool.refuse([error])
        }
        guard let listen else {
            let words = reference ? Self.referenceDriver(defect, variation) : command
            let place = (reference ? ["conformance"] + words.dropFirst() : words).joined(separator: " ")
            return try await body(
                Source(
                    drivers: SpawnedDrivers(words, schemas: schemas), place: place,
                    host: host.map(LocalAddresses.reachable) ?? "127.0.0.1"))
        }
        let address = try Services.Address(listen, flag: "--listen")
        let device = try await listening(address, schemas)
        DeviceInvitation(address: device.address).show()
        do {
            let result = try await body(
                Source(drivers: device, place: device.address, host: host.map(LocalAddresses.reachable) ?? device.host))
            await device.stop()
            return result
        } catch {
            await device.stop()
            throw error
        }
    }

    private func listening(_ address: Services.Address, _ schemas: DriverSchemas) async throws -> ListeningDrivers {
        do {
            return try await ListeningDrivers.start(
                host: address.host, port: address.port, shownAs: LocalAddresses.reachable(insteadOf: address.host),
                schemas: schemas)
        } catch {
            throw Tool.refuse(
                "--listen", String("\(error)".prefix { $0 != "\n" }),
                expected: "an address of this machine with a free port",
                fix: "give another one; this machine has \(LocalAddresses.all.joined(separator: ", "))")
        }
    }

    /// The client to test, once its driver was greeted and has launched it.
    func subject(_ source: Source, until interruptions: Interruptions) async throws -> ClientSubject {
        let check = DriverCheck(source.drivers, host: source.host, timeScale: timeScale)
        let (outcome, wasInterrupted) = await Interruptions.cancel(
            { () async -> Swift.Result<DriverGreeting, DriverProblem> in
                do throws(DriverProblem) { return .success(try await check.run()) } catch { return .failure(error) }
            }, at: interruptions)
        switch outcome {
        case .success(let greeting) where !wasInterrupted:
            var subject = ClientSubject(
                name: [greeting.name, greeting.version].compactMap(\.self).joined(separator: " "),
                profiles: declared(greeting), driver: source.drivers, unsupported: greeting.unsupported)
            subject.timeScale = timeScale
            subject.host = source.host
            return subject
        case .failure(let problem) where !wasInterrupted:
            throw Tool.end(problem.isHarness ? .harness : .unreachable, saying: problem.description)
        default:
            throw Tool.end(.incomplete, saying: "interrupted before the driver was ready; nothing was tested")
        }
    }

    private func declared(_ greeting: DriverGreeting) -> Set<Profile> {
        let flags = Set(profile.compactMap(Profile.init(rawValue:)))
        return (flags.isEmpty ? greeting.profiles ?? [] : flags).union([.clientCore])
    }

    // MARK: the command line

    /// Everything that is wrong with the flags.
    private var problems: [InputProblem] {
        var problems: [InputProblem] = []
        let given = [!command.isEmpty, listen != nil, reference].count { $0 }
        if given != 1 {
            problems.append(
                InputProblem(
                    place: "client", what: given == 0 ? "no driver" : "more than one driver",
                    expected: "one of -- COMMAND, --listen HOST:PORT, --reference",
                    fix: given == 0
                        ? "name the program that drives the client: conformance client -- ./my-driver"
                        : "leave out all but one"))
        }
        for (flag, names) in [("--defect", defect), ("--variation", variation)] where !names.isEmpty && !reference {
            problems.append(
                InputProblem(
                    place: flag, what: "nothing can break a client that is not ours", expected: "--reference beside it",
                    fix: "add --reference, or test '-- conformance chat --driver \(flag) \(names[0])'"))
        }
        problems += Self.unknown(defect, "--defect", among: ClientDefect.all.map(\.name))
        problems += Self.unknown(variation, "--variation", among: ClientVariation.all.map(\.name))
        problems += Self.unknown(profile, "--profile", among: Profile.all(of: .client).map(\.rawValue).sorted())
        if let problem = SubjectOptions.needs(of: Set(profile.compactMap(Profile.init(rawValue:)))) {
            problems.append(problem)
        }
        if !(1...1000).contains(timeScale) {
            problems.append(
                InputProblem(
                    place: "--time-scale", what: "'\(Self.readable(timeScale))' is no scale",
                    expected: "a number from 1 to 1000",
                    fix: "leave it out for 10, or give 1 to wait as long as people do"))
        }
        return problems
    }

    private static func unknown(_ names: [String], _ flag: String, among known: [String]) -> [InputProblem] {
        names.filter { !known.contains($0) }.map { name in
            InputProblem(
                place: flag, what: "unknown name '\(name)'",
                expected: known.count > 9
                    ? "a name of 'conformance chat --list-defects'" : known.joined(separator: ", "),
                fix: nearestName(to: name, among: known).map { "did you mean '\($0)'?" } ?? "correct the name")
        }
    }

    private static func readable(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }

    private static func referenceDriver(_ defects: [String], _ variations: [String]) -> [String] {
        let program = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return [program, "chat", "--driver"] + defects.flatMap { ["--defect", $0] }
            + variations.flatMap { ["--variation", $0] }
    }

    /// The command that tests this client again: its flags, and what stands behind `--`.
    func rerun(spec: String?) -> (flags: String, command: String?) {
        var words = ["conformance client"]
        if reference { words.append("--reference") }
        words += defect.map { "--defect \($0)" } + variation.map { "--variation \($0)" }
        if let listen { words.append("--listen \(listen)") }
        words += profile.map { "--profile \($0)" }
        if timeScale != 10 { words.append("--time-scale \(Self.readable(timeScale))") }
        if let host { words.append("--host \(host)") }
        if let spec { words.append("--spec \(ShellWords.quoted(spec))") }
        return (
            words.joined(separator: " "),
            command.isEmpty ? nil : command.map(ShellWords.quoted).joined(separator: " ")
        )
    }
}

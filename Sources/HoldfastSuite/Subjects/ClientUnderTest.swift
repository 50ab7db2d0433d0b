import ClientDriver
import Holdfast
import HoldfastBasics
import HoldfastStage
import HoldfastTransport
import ReferenceClient

/// A client to test: its driver, and the profiles it declares.
///
/// ```swift
/// let mine = ClientUnderTest(driver: ["./my-driver", "--headless"])
/// let here = ClientUnderTest { data in MyApp(storingIn: data) }
/// ```
public struct ClientUnderTest: Sendable {
    /// The profiles it declares (`--profile`); if empty, those that its driver names, or else `client-core`.
    public var profiles: [String] = []
    /// Its dialect: a built-in name, or the path of a dialect file (`--dialect`).
    public var dialect: String?
    /// The factor by which the client divides its own timers, from 1 to 1000 (`--time-scale`).
    public var timeScale = 10.0
    /// The host on which the suite's server listens; nil for this machine only (`--host`).
    public var host: String?

    package enum Driver: Sendable {
        /// A program with its arguments, started for each scenario.
        case command([String])
        /// A device that opens a WebSocket to this address.
        case device(listening: String)
        /// The reference client of a program, with its defects and variations.
        case reference(program: String, defects: [String], variations: [String])
        case inProcess(@Sendable (String) -> any DrivenClient)
    }

    package var driver: Driver

    /// A client whose driver is a program that reads commands from standard input and answers on standard output.
    public init(driver command: [String]) { self.init(.command(command)) }

    /// A client in this process, created anew for each scenario.
    /// - Parameter make: Creates a client; `data` is the folder for its data from one launch to the next.
    public init(make: @escaping @Sendable (_ data: String) -> any DrivenClient) { self.init(.inProcess(make)) }

    package init(_ driver: Driver) { self.driver = driver }

    package struct Source {
        fileprivate let drivers: any DriverSource
        package let location: String
        /// The host at which the app finds the suite's server.
        fileprivate let host: String
        fileprivate let dialect: Dialect
    }

    /// Runs the body with the drivers; if a device is expected, listens for it meanwhile and stops afterwards.
    ///
    /// * `invite`: Gets the address that a device must open.
    /// - Throws: The error of the body, or the reason why nothing can listen.
    package func withDriver<Result>(
        under specification: Specification, invite: (String) -> Void = { _ in },
        _ body: (Source) async throws -> Result
    ) async throws -> Result {
        let spoken = try dialect.map { try specification.dialect($0, given: "--dialect") } ?? .canonical
        var problems: [InputProblem] = []
        let declared = Profile.declared(named: profiles, of: .client, &problems)
        try spoken.problems(declaring: declared, of: .client, given: "--profile").throwAll()
        let given = host.map(LocalAddresses.reachable)
        func source(_ drivers: any DriverSource, at location: String, host: String = "127.0.0.1") -> Source {
            Source(drivers: drivers, location: location, host: given ?? host, dialect: spoken)
        }
        switch driver {
        case .command(let words):
            return try await body(source(SpawnedDrivers(words), at: words.joined(separator: " ")))
        case .reference(let program, let defects, let variations):
            let words =
                ["chat", "--driver"] + defects.flatMap { ["--defect", $0] }
                + variations.flatMap { ["--variation", $0] } + (dialect.map { ["--dialect", $0] } ?? [])
            let location = (["conformance"] + words).joined(separator: " ")
            return try await body(source(SpawnedDrivers([program] + words), at: location))
        case .inProcess(let make):
            return try await body(source(InProcessDrivers(make: make), at: "in this process"))
        case .device(let text):
            let device = try await listening(ServiceAddress(text, given: "--listen"))
            invite(device.address)
            return try await finally(device.stop) {
                try await body(source(device, at: device.address, host: device.host))
            }
        }
    }

    private func listening(_ address: ServiceAddress) async throws -> ListeningDrivers {
        do {
            return try await ListeningDrivers(
                host: address.host, port: address.port, shownAs: LocalAddresses.reachable(insteadOf: address.host))
        } catch {
            throw InputProblem(
                "--listen", String("\(error)".prefix { $0 != "\n" }),
                expected: "an address of this machine with a free port",
                fix: "choose another one; this machine has \(LocalAddresses.all.joined(separator: ", "))")
        }
    }

    /// Greets the driver, has it launch the client once, and returns the client to test.
    package func subject(_ source: Source, until stop: Stop? = nil) async throws(SuiteProblem) -> ClientSubject {
        let check = DriverCheck(source.drivers, host: source.host, timeScale: timeScale)
        let (outcome, wasInterrupted) = await cancelling(at: stop) {
            () async -> Result<DriverGreeting, DriverProblem> in
            do throws(DriverProblem) { return .success(try await check.run()) } catch { return .failure(error) }
        }
        if wasInterrupted {
            throw SuiteProblem(.interrupted, "interrupted before the driver was ready; nothing was tested")
        }
        do throws(DriverProblem) {
            let greeting = try outcome.get()
            let declared = Set(profiles.compactMap(Profile.init(rawValue:)))
            let own = (declared.isEmpty ? greeting.profiles ?? [] : declared).union([.clientCore])
            var subject = ClientSubject(
                name: [greeting.name, greeting.version].compactMap(\.self).joined(separator: " "),
                profiles: own.intersection(source.dialect.profiles(of: .client)), driver: source.drivers,
                unsupported: greeting.unsupported, timeScale: timeScale, host: source.host)
            subject.dialect = source.dialect
            return subject
        } catch {
            throw SuiteProblem(error.isHarness ? .harness : .unreachable, error.description)
        }
    }

    package var problems: [InputProblem] {
        var problems: [InputProblem] = []
        if case .reference(_, let defects, let variations) = driver {
            problems += Self.unknown(defects, "--defect", among: ClientDefect.all.map(\.name))
            problems += Self.unknown(variations, "--variation", among: ClientVariation.allCases.map(\.rawValue))
        }
        problems += Self.unknown(profiles, "--profile", among: Profile.all(of: .client).map(\.rawValue).sorted())
        if !(1...1000).contains(timeScale) {
            problems.note(
                "--time-scale", "'\(Self.readable(timeScale))' is out of range", expected: "a number from 1 to 1000",
                fix: "remove it for 10, or give 1 for real time")
        }
        return problems
    }

    private static func unknown(_ names: [String], _ flag: String, among known: [String]) -> [InputProblem] {
        InputProblem.unknown(
            names, given: flag, among: known,
            expected: known.count > 9 ? "a name from 'conformance chat --list-defects'" : nil,
            otherwise: "correct the name")
    }

    /// A number, without decimals if it is an integer.
    package static func readable(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }
}

import ClientDriver
import HoldfastJSON
import HoldfastTransport
import Testing

@testable import HoldfastStage

@Suite struct ListeningDriverTests {
    /// A device that answers like the library does, until it is told to leave or the runner does.
    private func device(at address: String, answering count: Int = .max) async throws -> Task<Int, any Error> {
        let socket = try await WebSocketConnection.open(try Endpoint(address))
        let session = DriverSession(QuietApp())
        return Task {
            var answered = 0
            for await arrival in socket.messages {
                guard case .text(let line) = arrival.event else { continue }
                try await socket.send(text: await session.answer(to: line))
                answered += 1
                if answered >= count { break }
            }
            await socket.close()
            return answered
        }
    }

    @Test func `a device gets one scenario after the other over one socket`() async throws {
        let source = try await ListeningDrivers(host: "127.0.0.1", port: 0)
        #expect(source.capacity == 1)
        let task = try await device(at: source.address)
        for _ in 1...3 {
            let link = try await source.open(data: "/tmp", timeScale: 10)
            #expect(link.greeting.name == "Quiet")
            _ = try await link.perform(SpawnedDriverTests.launch(fresh: true), within: .seconds(10))
            await link.end()
        }
        await source.stop()
        #expect(try await task.value == 6)
    }

    @Test func `a device that comes back between two scenarios is waited for`() async throws {
        let source = try await ListeningDrivers(host: "127.0.0.1", port: 0)
        for _ in 1...2 {
            let task = try await device(at: source.address, answering: 2)
            let link = try await source.open(data: "/tmp", timeScale: 10)
            _ = try await link.perform(SpawnedDriverTests.launch(fresh: true), within: .seconds(10))
            #expect(try await task.value == 2)
            await link.end()
        }
        await source.stop()
    }

    @Test func `a device that leaves in the middle is told as that`() async throws {
        let source = try await ListeningDrivers(host: "127.0.0.1", port: 0)
        let task = try await device(at: source.address, answering: 1)
        let link = try await source.open(data: "/tmp", timeScale: 10)
        _ = try await task.value
        let problem = await #expect(throws: DriverProblem.self) {
            try await link.perform(["do": "state"], within: .seconds(10))
        }
        #expect(problem?.code == .disconnected)
        await link.end()
        await source.stop()
    }

    @Test func `the latest device counts`() async throws {
        let source = try await ListeningDrivers(host: "127.0.0.1", port: 0)
        let first = try await device(at: source.address)
        _ = try await source.open(data: "/tmp", timeScale: 10)
        let second = try await device(at: source.address)
        #expect(try await first.value == 1)
        let link = try await source.open(data: "/tmp", timeScale: 10)
        _ = try await link.perform(["do": "state"], within: .seconds(10))
        await link.end()
        await source.stop()
        #expect(try await second.value == 2)
    }

    @Test func `nobody coming is said clearly`() async throws {
        let source = try await ListeningDrivers(
            host: "127.0.0.1", port: 0, firstWait: .milliseconds(100))
        let problem = await #expect(throws: DriverProblem.self) { try await source.open(data: "/tmp", timeScale: 1) }
        #expect(problem?.inShort == "\(source.address): no device connected in 0.1 s")
        #expect(problem?.isUnreachable == true)
        await source.stop()
    }

    @Test func `a message that is too long is a flood`() async throws {
        let source = try await ListeningDrivers(host: "127.0.0.1", port: 0)
        let socket = try await WebSocketConnection.open(try Endpoint(source.address))
        let task = Task {
            for await arrival in socket.messages {
                if case .text = arrival.event { try? await socket.send(text: String(repeating: "x", count: 17 << 20)) }
            }
        }
        let problem = await #expect(throws: DriverProblem.self) { try await source.open(data: "/tmp", timeScale: 1) }
        guard case .flooded = problem?.code else {
            Issue.record("\(String(describing: problem))")
            return
        }
        await source.stop()
        await task.value
    }
}

@Suite struct InProcessDriverTests {
    @Test func `a client in this process is made anew after it quit`() async throws {
        let made = Counter()
        let source = InProcessDrivers { _ in
            made.add()
            return QuietApp()
        }
        let link = try await source.open(data: "/tmp", timeScale: 10)
        for _ in 1...2 {
            _ = try await link.perform(SpawnedDriverTests.launch(fresh: false), within: .seconds(10))
            _ = try await link.perform(["do": "quit"], within: .seconds(10))
        }
        await link.end()
        #expect(made.count == 2)
    }

    @Test func `a client in this process that hangs is late`() async throws {
        let source = InProcessDrivers { _ in QuietApp(hangs: true) }
        let link = try await source.open(data: "/tmp", timeScale: 10)
        let problem = await #expect(throws: DriverProblem.self) {
            try await link.perform(["do": "background"], within: .milliseconds(100))
        }
        #expect(problem?.code == .hung(milliseconds: 100))
        await link.end()
    }
}

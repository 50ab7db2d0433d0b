import Foundation
import Testing

@testable import HoldfastPlatform

@Suite struct ProcessTests {
    private func started(_ command: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ["HOLDFAST_TEST": "here"]
        try process.run()
        return process
    }

    #if os(Linux)
    @Test func `the table shows a child until it has ended`() throws {
        let child = try started("exec sleep 600")
        let number = child.processIdentifier
        let status = try #require(ProcessTable.status(of: number))
        #expect(status.parent == Processes.own)
        #expect(ProcessTable.children(of: Processes.own).contains { $0.process == number })
        SystemSignal.kill.send(to: number)
        child.waitUntilExit()
        #expect(child.terminationReason == .uncaughtSignal)
        #expect(child.terminationStatus == SystemSignal.kill.rawValue)
        #expect(ProcessTable.status(of: number) == nil)
    }

    @Test(.enabled("needs a system that counts waits") { !ProcessTable.waitingTimes(of: Processes.own).isEmpty })
    func `a process that shares a processor waits for it`() async throws {
        let children = try (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in
            try started("while :; do :; done")
        }
        defer { for child in children { SystemSignal.kill.send(to: child.processIdentifier) } }
        while !children.contains(where: { child in
            ProcessTable.waitingTimes(of: child.processIdentifier).values.contains { $0 > .milliseconds(20) }
        }) {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(ProcessTable.waitingTimes(of: 0).isEmpty)
    }

    @Test func `the limit of a process that has gone is set nowhere`() throws {
        #expect(Processes.canLimitOthers)
        #expect(try Processes.limitFileSize(of: .max, to: 4) == false)
    }
    #endif

    @Test func `this machine has an address and a free port`() throws {
        #expect(Network.addresses.contains("127.0.0.1"))
        let free = (20_000...60_000).first { Network.isFree(port: UInt16($0)) }
        #expect(free != nil)
    }

    @Test func `the time of day is that of Foundation`() {
        let before = Date.now.timeIntervalSince1970
        let now = Double(SystemClock.microseconds) / 1e6
        #expect(before - 0.001 <= now && now <= Date.now.timeIntervalSince1970 + 0.001)
    }

    @Test func `a byte is found where it first stands`() {
        let bytes = Array("one\ntwo\n".utf8)
        bytes.withUnsafeBytes { bytes in
            #expect(index(of: 0x0A, in: bytes) == 3)
            #expect(index(of: 0x21, in: bytes) == nil)
            #expect(index(of: 0x0A, in: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
        }
    }
}

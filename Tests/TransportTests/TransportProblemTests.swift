import NIOCore
import Testing

@testable import HoldfastTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What the operating system refuses is told by its cause, each with a fix of its own.
@Suite struct TransportProblemTests {
    @Test(
        arguments: [
            (EACCES, .notPermitted), (EPERM, .notPermitted), (EHOSTUNREACH, .unreachable), (ENETUNREACH, .unreachable),
            (ECONNREFUSED, .connectionRefused), (ECONNRESET, .reset), (ETIMEDOUT, .unreachable),
            (EMFILE, .exhausted(reason: "Too many open files")),
            (EADDRNOTAVAIL, .exhausted(reason: "Cannot assign requested address")),
        ] as [(Int32, TransportProblem.Code)])
    func `an error of the system has its own code`(number: Int32, code: TransportProblem.Code) {
        #expect(TransportProblem(IOError(errnoCode: number, reason: "connect"), at: "ws://h/ws").code == code)
    }

    @Test func `a local failure says nothing about the peer`() {
        let local: [TransportProblem.Code] = [.notPermitted, .noTLS, .exhausted(reason: "Too many open files")]
        #expect(local.allSatisfy { TransportProblem($0, at: "ws://h/ws").isLocal })
        #expect(!TransportProblem(.connectionRefused, at: "ws://h/ws").isLocal)
    }

    @Test func `a missing permission is not taken for a missing server`() {
        #expect(
            TransportProblem(.notPermitted, at: "ws://h/ws").description == """
                ws://h/ws: the operating system does not permit the connection
                  expected: permission to connect
                  fix: check the firewall, the sandbox or the container that this program runs in
                """)
    }

    @Test func `a port that needs a privilege is told apart from one that is taken`() {
        let taken = TransportProblem(.cannotListen(.portTaken), at: "127.0.0.1:80")
        let reserved = TransportProblem(.cannotListen(.notPermitted), at: "127.0.0.1:80")
        #expect(taken.words.fix == "use another port, or 0 for a free one")
        #expect(reserved.words.fix == "use a port from 1024, or 0 for a free one; ports below 1024 need a privilege")
    }
}

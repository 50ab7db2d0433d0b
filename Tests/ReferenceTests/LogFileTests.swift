import Foundation
import TestSupport
import Testing

@testable import HoldfastReference

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct LogFileTests {
    private static func lines(_ folder: TemporaryDirectory) throws -> [String] {
        var lines: [[UInt8]] = []
        _ = try LogFile.open(folder: folder.path, lines: &lines)
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func append(_ lines: [String], to folder: TemporaryDirectory) throws {
        var old: [[UInt8]] = []
        var file = try LogFile.open(folder: folder.path, lines: &old)
        for line in lines { try file.append(LogFormat.bytes(of: line)) }
    }

    @Test func `what was appended is there after reopening`() throws {
        let folder = try TemporaryDirectory()
        try Self.append(["one", "zwei 👋🏽", " "], to: folder)
        try Self.append(["four"], to: folder)
        #expect(try Self.lines(folder) == ["one", "zwei 👋🏽", " ", "four"])
    }

    @Test func `a record cut short at any byte is dropped, and all before it stay`() throws {
        let folder = try TemporaryDirectory()
        try Self.append(["first", "second"], to: folder)
        let whole = try folder.bytes()
        let sound = LogFormat.bytes(of: "first").count
        for length in sound..<whole.count {
            try folder.write(whole.prefix(length))
            #expect(try Self.lines(folder) == ["first"], "cut after \(length) bytes")
            #expect(try folder.bytes().count == sound)
            try Self.append(["third"], to: folder)
            #expect(try Self.lines(folder) == ["first", "third"])
        }
    }

    @Test func `a file that is rewritten in place holds everything again in the end`() throws {
        let folder = try TemporaryDirectory()
        try Self.append(["first"], to: folder)
        var old: [[UInt8]] = []
        do {
            var file = try LogFile.open(folder: folder.path, lines: &old)
            RewrittenFile.rewrite(folder.log, pausing: 0)
            try file.append(LogFormat.bytes(of: "second"))
        }
        #expect(try Self.lines(folder) == ["first", "second"])
    }

    @Test func `zeros at the end are a torn write too`() throws {
        let folder = try TemporaryDirectory()
        try Self.append(["first"], to: folder)
        try folder.write(folder.bytes() + Data(repeating: 0, count: 512))
        #expect(try Self.lines(folder) == ["first"])
    }

    @Test func `damage that records follow is refused, naming the line`() throws {
        let folder = try TemporaryDirectory()
        try Self.append(["first", "second", "third"], to: folder)
        var bytes = try folder.bytes()
        bytes[LogFormat.bytes(of: "first").count + 12] ^= 1
        try folder.write(bytes)
        #expect(throws: StorageProblem(.damaged(line: 2), path: folder.log)) { try Self.lines(folder) }
        #expect(try folder.bytes() == bytes)
    }

    @Test func `a folder serves one server at a time`() throws {
        let folder = try TemporaryDirectory()
        var lines: [[UInt8]] = []
        let file = try LogFile.open(folder: folder.path, lines: &lines)
        #expect(throws: StorageProblem(.inUse, path: folder.log)) { try Self.lines(folder) }
        _ = consume file
        #expect(try Self.lines(folder) == [])
    }

    @Test func `a folder that cannot be made is told by its path`() {
        #expect(throws: StorageProblem(.cannotOpen(reason: "Not a directory"), path: "/dev/null/data")) {
            var lines: [[UInt8]] = []
            _ = try LogFile.open(folder: "/dev/null/data", lines: &lines)
        }
    }

    /// In a process of its own, because the limit holds for everything in one, and for whatever it starts meanwhile.
    @Test func `a failed write is reported, leaves nothing, and the next one works`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryDirectory()
            let block = String(repeating: "x", count: 2 << 20)
            var lines: [[UInt8]] = []
            var file = try LogFile.open(folder: folder.path, lines: &lines)
            try file.append(LogFormat.bytes(of: block))
            let sound = try folder.bytes().count

            signal(SIGXFSZ, SIG_IGN)
            var before = rlimit()
            #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            #else
            let resource = RLIMIT_FSIZE
            #endif
            getrlimit(resource, &before)
            var small = before
            small.rlim_cur = 3 << 20
            setrlimit(resource, &small)
            var failure: StorageProblem?
            do throws(StorageProblem) { try file.append(LogFormat.bytes(of: block)) } catch { failure = error }
            setrlimit(resource, &before)

            #expect(failure == StorageProblem(.cannotWrite(reason: "File too large"), path: folder.log))
            #expect(try folder.bytes().count == sound)
            try file.append(LogFormat.bytes(of: "after"))
            _ = consume file
            #expect(try LogFileTests.lines(folder) == [block, "after"])
        }
    }

    @Test func `the checksum is that of IEEE`() {
        #expect(Checksum.text(of: Array("123456789".utf8)[...]) == "cbf43926")
        #expect(Checksum.text(of: []) == "00000000")
    }
}

extension TemporaryDirectory {
    /// The log of a server whose data folder this is.
    var log: String { path + "/records.log" }

    func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: log)) }

    func write(_ bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: log)) }
}

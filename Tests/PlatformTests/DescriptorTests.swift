import Foundation
import Testing

@testable import HoldfastPlatform

private let badDescriptor = SystemError(EBADF)

@Suite struct DescriptorTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-\(UUID())").path
        try makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test func `what is written at a position is read there`() throws {
        try withFolder { folder in
            let file = try Descriptor(opening: folder + "/file", for: .updating)
            defer { file.close() }
            try file.writeAll(Array("0123456789".utf8), at: 0)
            try file.writeAll(Array("ab".utf8), at: 4)
            try file.synchronize()
            #expect(try file.length() == 10)
            #expect(try file.read(4, at: 3) == Array("3ab6".utf8))
            #expect(try file.read(100, at: 8) == Array("89".utf8))
            #expect(try file.read(1, at: 10).isEmpty)
            try file.truncate(to: 5)
            #expect(try FileStatus(of: file).size == 5)
        }
    }

    @Test func `a new file is made once, and its owner's alone`() throws {
        try withFolder { folder in
            let path = folder + "/new"
            let file = try Descriptor(opening: path, for: .appendingToNew)
            try file.writeAll("one\n")
            try file.writeAll("two\n")
            file.close()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "one\ntwo\n")
            #expect(throws: SystemError.fileExists) { try Descriptor(opening: path, for: .appendingToNew) }
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(permissions as? Int == 0o600)
        }
    }

    @Test func `a lock has one holder`() throws {
        try withFolder { folder in
            let (one, other) = (
                try Descriptor(opening: folder + "/lock", for: .updating),
                try Descriptor(opening: folder + "/lock", for: .updating)
            )
            defer { for file in [one, other] { file.close() } }
            #expect(one.tryLock())
            #expect(!other.tryLock())
            one.unlock()
            #expect(other.tryLock())
        }
    }

    @Test func `a pipe brings what was written, and then its end`() throws {
        let (reading, writing) = try #require(Descriptor.pipe())
        reading.setNonblocking()
        #expect(throws: SystemError.wouldWait) { try reading.read(atMost: 10) }
        #expect(!reading.waitUntilReadable(seconds: 0))
        #expect(try writing.write([1, 2, 3]) == 3)
        #expect(reading.waitUntilReadable(seconds: nil))
        #expect(try reading.read(atMost: 2) == [1, 2])
        #expect(Descriptor.waitForEither(.closed, reading) == true)
        writing.close()
        #expect(try reading.read(atMost: 10) == [3])
        #expect(try reading.read(atMost: 10).isEmpty)
        reading.close()
    }

    @Test func `a full pipe takes what fits`() throws {
        let (reading, writing) = try #require(Descriptor.pipe())
        defer { for end in [reading, writing] { end.close() } }
        writing.setNonblocking()
        let bytes = [UInt8](repeating: 7, count: 4 << 20)
        let count = try writing.write(bytes[...])
        #expect(count > 0 && count < bytes.count)
        #expect(throws: SystemError.wouldWait) { try writing.write(bytes[...]) }
    }

    @Test func `a socket without a peer takes bytes and loses them`() throws {
        let (ours, theirs) = try #require(Descriptor.socketPair())
        ours.send([1])
        #expect(try theirs.read(atMost: 4) == [1])
        theirs.close()
        // Without care a signal would end the program here.
        ours.send([2])
        ours.close()
    }

    @Test func `what leads nowhere is refused with a reason in words`() throws {
        #expect(throws: badDescriptor) { try Descriptor.closed.read(atMost: 1) }
        #expect(badDescriptor.description == "Bad file descriptor")
        #expect(throws: (any Error).self) { try Descriptor(opening: "/nowhere/at/all", for: .reading) }
        #expect(!Descriptor.closed.isTerminal && Descriptor.closed.terminalWidth == nil)
    }

    @Test func `a path is a file, a folder or something else`() throws {
        try withFolder { folder in
            #expect(try FileStatus(of: folder).kind == .folder)
            try makeFolder(folder)
            #expect(try FileStatus(of: "/dev/null").kind == .other)
            let (reading, writing) = try #require(Descriptor.pipe())
            #expect(try FileStatus(of: reading).kind == .pipe)
            for end in [reading, writing] { end.close() }
        }
    }
}

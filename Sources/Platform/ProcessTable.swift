#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What `/proc` tells about processes; nothing where there is none.
package enum ProcessTable {
    /// A process in a moment.
    package struct Status: Equatable, Sendable {
        /// `R`, `S`, `Z` and so on (proc(5)).
        package let state: Character
        /// Who started it, or who adopted it.
        package let parent: ProcessID
        package let group: ProcessID
    }

    package static func processes() -> [ProcessID] {
        guard let folder = opendir("/proc") else { return [] }
        defer { closedir(folder) }
        var found: [ProcessID] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let process = ProcessID(name) { found.append(process) }
        }
        return found
    }

    /// Every process that another one started or adopted, also those that have ended and were not waited for.
    package static func children(of parent: ProcessID) -> [(process: ProcessID, status: Status)] {
        processes().compactMap { process in
            status(of: process).flatMap { $0.parent == parent ? (process, $0) : nil }
        }
    }

    /// What `/proc` has of a process from its state on; empty when it is gone.
    private static func fields(of process: ProcessID) -> [Substring] {
        // The name in brackets may hold anything, brackets and spaces too, so what follows is read from the last one on.
        let text = String(decoding: contents("/proc/\(process)/stat", atMost: 4096), as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// The time on a processor that a process and the children it waited for have used; nil when it is gone.
    package static func processorTime(of process: ProcessID) -> Duration? {
        let fields = fields(of: process)
        let ticksPerSecond = Int(sysconf(Int32(_SC_CLK_TCK)))
        guard fields.count > 14, ticksPerSecond > 0 else { return nil }
        // User and system time, its own and that of its children (proc(5), fields 14 to 17).
        return .milliseconds(fields[11...14].compactMap { Int($0) }.reduce(0, +) * 1000 / ticksPerSecond)
    }

    /// The state of a process; nil when it is gone.
    package static func status(of process: ProcessID) -> Status? {
        let fields = fields(of: process)
        guard fields.count > 2, let state = fields[0].first, let parent = ProcessID(fields[1]),
            let group = ProcessID(fields[2])
        else { return nil }
        return Status(state: state, parent: parent, group: group)
    }

    /// Whether the environment a process was started with holds an entry.
    package static func environment(of process: ProcessID, holds entry: String) -> Bool {
        let wanted = Array(entry.utf8)
        return contents("/proc/\(process)/environ", atMost: 1 << 20).split(separator: 0).contains {
            $0.elementsEqual(wanted)
        }
    }

    private static func contents(_ path: String, atMost limit: Int) -> [UInt8] {
        guard let file = try? Descriptor(opening: path, for: .reading) else { return [] }
        defer { file.close() }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            guard let chunk = try? file.read(atMost: 16 << 10), !chunk.isEmpty else { break }
            bytes += chunk
        }
        return bytes
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Information from `/proc`; empty on other systems.
package enum ProcessTable {
    /// A snapshot of a process.
    package struct Status: Equatable, Sendable {
        /// `R`, `S`, `Z` and so on (proc(5)).
        package let state: Character
        /// The process that started or adopted it.
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

    /// All processes that another one started or adopted, including those that ended but were not waited for.
    package static func children(of parent: ProcessID) -> [(process: ProcessID, status: Status)] {
        processes().compactMap { process in
            status(of: process).flatMap { $0.parent == parent ? (process, $0) : nil }
        }
    }

    /// The fields of a process in `/proc`, starting with its state; empty if it is gone.
    private static func fields(of process: ProcessID) -> [Substring] {
        // The name in brackets may contain brackets and spaces, so read from the last bracket on.
        let text = String(decoding: contents("/proc/\(process)/stat", atMost: 4096), as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// The processor time of a process and the children it waited for; nil if it is gone.
    package static func processorTime(of process: ProcessID) -> Duration? {
        let fields = fields(of: process)
        let ticksPerSecond = Int(sysconf(Int32(_SC_CLK_TCK)))
        guard fields.count > 14, ticksPerSecond > 0 else { return nil }
        // User and system time of the process and its children (proc(5), fields 14 to 17).
        return .milliseconds(fields[11...14].compactMap { Int($0) }.reduce(0, +) * 1000 / ticksPerSecond)
    }

    /// The state of a process; nil if it is gone.
    package static func status(of process: ProcessID) -> Status? {
        let fields = fields(of: process)
        guard fields.count > 2, let state = fields[0].first, let parent = ProcessID(fields[1]),
            let group = ProcessID(fields[2])
        else { return nil }
        return Status(state: state, parent: parent, group: group)
    }

    /// Whether the initial environment of a process contains an entry.
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

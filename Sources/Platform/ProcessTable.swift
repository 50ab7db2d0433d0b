import HoldfastCLibrary

/// Information from `/proc`; empty on other systems.
package enum ProcessTable {
    package struct Status: Equatable, Sendable {
        /// `R`, `S`, `Z` and so on (proc(5)).
        package let state: Character
        /// The process that started or adopted this one.
        package let parent: ProcessID
        package let group: ProcessID
        /// The start time, in clock ticks since boot.
        package let began: Int
    }

    package static func processes() -> [ProcessID] { numbers(in: "/proc") }

    /// The entries of a folder whose names are numbers: processes or threads.
    private static func numbers(in path: String) -> [ProcessID] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found: [ProcessID] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = ProcessID(name) { found.append(number) }
        }
        return found
    }

    /// All children of a process, started or adopted, including zombies.
    package static func children(of parent: ProcessID) -> [(process: ProcessID, status: Status)] {
        processes().compactMap { process in
            status(of: process).flatMap { $0.parent == parent ? (process, $0) : nil }
        }
    }

    /// The state of a process and the numbers after it (proc(5), fields 4 to 22); nil if the process is gone.
    private static func fields(of process: ProcessID) -> (state: Character, numbers: [Int])? {
        let text = contents("/proc/\(process)/stat", atMost: 4096) + [0]
        return text.withUnsafeBytes { bytes in
            // The name in parentheses may contain parentheses and spaces, so read from the last one on.
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                let bracket = strrchr(start, Int32(UInt8(ascii: ")"))), bracket[1] != 0, bracket[2] != 0
            else { return nil }
            var next = bracket + 3
            var numbers: [Int] = []
            for _ in 4...22 {
                var end: UnsafeMutablePointer<CChar>?
                let number = strtol(next, &end, 10)
                guard let end, end != next else { return nil }
                numbers.append(number)
                next = end
            }
            return (Character(Unicode.Scalar(UInt8(bitPattern: bracket[2]))), numbers)
        }
    }

    package static func processorTime(of process: ProcessID) -> Duration? {
        let ticksPerSecond = Int(sysconf(Int32(_SC_CLK_TCK)))
        guard let numbers = fields(of: process)?.numbers, ticksPerSecond > 0 else { return nil }
        // User and system time of the process and its children (proc(5), fields 14 to 17).
        return .milliseconds(numbers[10...13].reduce(0, +) * 1000 / ticksPerSecond)
    }

    /// The time for which each thread of a process has waited for a processor; empty if the system does not count it.
    package static func waitingTimes(of process: ProcessID) -> [ProcessID: Duration] {
        let threads = numbers(in: "/proc/\(process)/task").compactMap { thread -> (ProcessID, Duration)? in
            let bytes = contents("/proc/\(process)/task/\(thread)/schedstat", atMost: 128)
            // The time on a processor, and the time spent waiting for one, in nanoseconds.
            let fields = bytes.split(separator: UInt8(ascii: " "))
            guard fields.count > 1 else { return nil }
            return Int64(String(decoding: fields[1], as: UTF8.self)).map { (thread, .nanoseconds($0)) }
        }
        return Dictionary(threads) { $1 }
    }

    package static func status(of process: ProcessID) -> Status? {
        fields(of: process).map { state, numbers in
            Status(
                state: state, parent: ProcessID(truncatingIfNeeded: numbers[0]),
                group: ProcessID(truncatingIfNeeded: numbers[1]), began: numbers[18])
        }
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
        let size = min(limit, 16 << 10)
        while bytes.count < limit, let chunk = try? file.read(atMost: size), !chunk.isEmpty {
            bytes += chunk
            // One read gives the whole of such a file, unless it fills the buffer.
            if chunk.count < size { break }
        }
        return bytes
    }
}

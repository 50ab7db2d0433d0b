import HoldfastPlatform

/// A file that a broken server empties and writes anew, in place.
enum RewrittenFile {
    /// What has to be in each file, for the next time where this time the disk refuses it.
    private static let contents = Mutex<[String: [UInt8]]>([:])

    /// Empties a file, pauses, and writes again what was in it.
    static func rewrite(_ path: String, pausing milliseconds: UInt32) {
        guard let file = try? Descriptor(opening: path, for: .updating) else { return }
        defer { file.close() }
        let content = contents.withLock { contents in
            let found = (try? file.read(file.length(), at: 0)) ?? []
            let content = contents[path].map { found.starts(with: $0) ? found : $0 } ?? found
            contents[path] = content
            return content
        }
        try? file.truncate(to: 0)
        Processes.pause(microseconds: milliseconds * 1000)
        try? file.writeAll(content, at: 0)
        try? file.synchronize()
    }
}

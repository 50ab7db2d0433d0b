import HoldfastCLibrary

/// The paths of all files in a folder and its subfolders, relative and sorted; links to folders are not followed.
package func files(below folder: String) throws(SystemError) -> [String] {
    guard let stream = opendir(folder) else { throw .last }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                String(cString: $0)
            }
        }
        if name == "." || name == ".." { continue }
        // Some file systems do not report the type of an entry.
        let kind = Int32(entry.pointee.d_type)
        let path = "\(folder)/\(name)"
        if kind == Int32(DT_DIR) || kind == Int32(DT_UNKNOWN) && (try? FileStatus(of: path))?.kind == .folder {
            // Skip a folder that this user cannot read, and keep the rest.
            found += ((try? files(below: path)) ?? []).map { "\(name)/\($0)" }
        } else {
            found.append(name)
        }
    }
    return found.sorted()
}

/// Replaces a file with a new one atomically, by renaming the new one.
package func replaceFile(at path: String, with new: String) throws(SystemError) {
    if rename(new, path) != 0 { throw .last }
}

package func contents(of path: String) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(opening: path, for: .reading)
    defer { file.close() }
    var bytes: [UInt8] = []
    while true {
        let piece = try file.read(atMost: 1 << 16)
        if piece.isEmpty { return bytes }
        bytes += piece
    }
}

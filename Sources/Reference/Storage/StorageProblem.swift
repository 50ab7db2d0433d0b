/// A failure to read or write the data folder.
struct StorageProblem: Error, Sendable, Equatable, CustomStringConvertible {
    enum Code: Sendable, Equatable {
        /// The folder or a file in it cannot be used, in the words of the operating system.
        case cannotOpen(reason: String)
        /// Another process holds the folder.
        case inUse
        /// A record before the last one does not match its checksum, or a line is not a record.
        case damaged(line: Int)
        /// A write or its sync failed; none of it was kept.
        case cannotWrite(reason: String)
    }

    var code: Code
    var path: String

    init(_ code: Code, path: String) { (self.code, self.path) = (code, path) }

    var description: String {
        switch code {
        case .cannotOpen(let reason):
            """
            \(path): cannot be opened: \(reason)
              expected: a folder this process may write to
              fix: name another folder, or change the permissions of this one
            """
        case .inUse:
            """
            \(path): another process uses this folder
              expected: one server per folder
              fix: stop the other server, or name another folder
            """
        case .damaged(let line):
            """
            \(path):\(line): the line is damaged, or is no record of this server
              expected: records; only the end of the file may be damaged, as an interrupted write leaves it
              fix: restore the file from a copy, or name another folder
            """
        case .cannotWrite(let reason):
            """
            \(path): a write failed: \(reason)
              expected: room for the record on a working disk
              fix: free some space; the server continues by itself
            """
        }
    }
}

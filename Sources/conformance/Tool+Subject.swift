import Holdfast

extension Tool {
    /// A subject as its file describes it.
    /// - Throws: The exit code 64, after every problem was told.
    static func subject(in path: String) throws -> SubjectFile {
        let bytes = try Files.bytes(of: path)
        do {
            return try SubjectFile(String(decoding: bytes, as: UTF8.self), file: path)
        } catch {
            throw refuse(error.problems)
        }
    }
}

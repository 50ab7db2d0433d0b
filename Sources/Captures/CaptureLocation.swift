import HoldfastTranscript

/// Where in its file an event stands.
public struct CaptureLocation: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1; 0 where a file has no lines that mean anything.
    public let line: Int
    /// The number of bytes before the line.
    public let offset: Int
    /// The JSON pointer, in files that are one document.
    public let pointer: String?

    /// A place in a file of lines.
    public init(line: Int, offset: Int) {
        self.line = line
        self.offset = offset
        pointer = nil
    }

    /// A place in a file that is one JSON document.
    public init(pointer: String) {
        line = 0
        offset = 0
        self.pointer = pointer
    }

    /// `line 12, byte 3456`, or the pointer.
    public var description: String { pointer ?? "line \(line), byte \(offset)" }

    /// The place as problems name it, behind the file.
    func problem(in file: String) -> String {
        pointer.map { "\(file) \($0)" } ?? "\(file):\(line) (byte \(offset))"
    }
}

/// One thing that a reader found in a capture.
public enum CaptureItem: Sendable {
    /// A history begins; everything before it is of another one.
    indirect case header(History.Header)
    /// Something that was observed.
    case event(Event, CaptureLocation)
    /// Something was left out here: what follows did not happen right after what came before.
    case gap
}

import HoldfastTranscript

/// The place of an event in its file.
public struct CaptureLocation: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1; 0 if lines mean nothing in the file.
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

    func problem(in file: String) -> String {
        pointer.map { "\(file) \($0)" } ?? "\(file):\(line) (byte \(offset))"
    }
}

/// One thing that a reader found in a capture.
public enum CaptureItem: Sendable {
    /// The beginning of a history; everything before it belongs to another one.
    indirect case header(History.Header)
    /// An observation.
    case event(Event, CaptureLocation)
    /// An omission: the next event did not directly follow the previous one.
    case gap
}

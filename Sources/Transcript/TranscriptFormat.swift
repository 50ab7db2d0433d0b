/// The names and the version of the transcript file format.
///
/// A transcript is NDJSON: one header line, then one line an event. Times are microseconds since the history began.
public enum TranscriptFormat {
    /// The value of `format` in the header line.
    public static let name = "holdfast-transcript"
    /// The version this code writes; a reader takes no other.
    public static let version = 1
    /// The most bytes of one line: the longest message a stage keeps, with room for its escapes.
    public static let maxLineBytes = 64 << 20
    /// The ending of transcript files.
    public static let fileExtension = "ndjson"
}

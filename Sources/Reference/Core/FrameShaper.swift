import Holdfast
import HoldfastBasics
import HoldfastJSON

/// The last step before a frame or body becomes text: drops the members of profiles the server does not keep, and
/// applies legal variations of the form.
struct FrameShaper: Sendable {
    let variations: Set<Variation>
    var keeps: Set<Profile> = [.sync]

    /// Members whose value belongs to the client and is returned unchanged.
    private static let untouched: Set<String> = ["content", "input", "text"]

    func shape(_ frame: JSONValue) -> JSONValue {
        var frame = frame
        if !keeps.contains(.sync) {
            for name in ["seq", "epoch", "lastSeq"] { frame[name] = nil }
            for name in ["replayMessages", "replaySeconds"] { frame["limits"]?[name] = nil }
        }
        guard !variations.isEmpty else { return frame }
        if variations.contains(.answersWithStats), frame.type == "done" {
            frame["stats"] = ["model": "small-1", "inputTokens": 812, "outputTokens": 9, "durationMs": 0]
        }
        if variations.contains(.terseErrors) { frame = terse(frame) }
        if variations.contains(.extraMembers) { frame = extended(frame) }
        if variations.contains(.otherMemberOrder) { frame = reordered(frame) }
        return frame
    }

    /// The text of a frame or body without a number.
    func text(of frame: JSONValue) -> String { text(ofShaped: shape(frame)) }

    func text(ofShaped frame: JSONValue) -> String {
        let plain = frame.text(pretty: variations.contains(.spacedText))
        guard variations.contains(.escapedText) else { return plain }
        let escaped = Self.escaped(plain)
        // With six or more bytes for each character, a client's UTF-8 text may be too long for a page.
        return escaped.utf8.count <= 1_000_000 ? escaped : plain
    }

    /// An upper bound for the bytes of a frame inside a replay.
    func replayedBytes(of text: String) -> Int {
        variations.contains(.spacedText) ? text.utf8.count + 4 * text.utf8.count { $0 == 10 } + 8 : text.utf8.count
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result += scalar == "/" ? "\\/" : String(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    result += "\\u" + hexDigits(withUnsafeBytes(of: unit.bigEndian, Array.init))
                }
            }
        }
        return result
    }

    /// An error that ends no turn, without its optional members.
    private func terse(_ frame: JSONValue) -> JSONValue {
        guard frame.type == "error", frame["turnId"] == nil else { return frame }
        var short = frame
        short["retryable"] = nil
        // The key of an invalid frame may never have been read (TURN-14).
        if frame.text("code") == ErrorCode.badRequest.rawValue { short["clientMessageId"] = nil }
        return short
    }

    private func extended(_ value: JSONValue) -> JSONValue {
        map(value, extended) { $0.append((key: "x-note", value: ["nobody": "knows", "this": [1, 2, nil]])) }
    }

    private func reordered(_ value: JSONValue) -> JSONValue {
        map(value, reordered) { $0.reverse() }
    }

    private func map(
        _ value: JSONValue, _ inner: (JSONValue) -> JSONValue, _ change: (inout [JSONObject.Element]) -> Void
    ) -> JSONValue {
        switch value {
        // Frames inside `missed` were shaped when they were first sent.
        case .object(let object):
            let isReplay = object["type"]?.stringValue == "syncResult"
            var members = object.map { key, value in
                let isKept = Self.untouched.contains(key) || isReplay && key == "missed"
                return (key: key, value: isKept ? value : inner(value))
            }
            change(&members)
            return .object(JSONObject(members))
        case .array(let values): return .array(values.map(inner))
        default: return value
        }
    }
}

/// Writes instants, by default in UTC and with microseconds.
enum Timestamp {
    enum Style: Sendable {
        case usual, wholeSeconds, otherZone
    }

    /// Takes microseconds since 1970.
    static func text(_ micros: Int, _ style: Style = .usual) -> String {
        switch style {
        case .usual: Instant.text(micros)
        case .wholeSeconds: Instant.text(micros, digits: 0)
        case .otherZone: Instant.text(micros + (5 * 60 + 45) * 60_000_000).dropLast() + "000+05:45"
        }
    }
}

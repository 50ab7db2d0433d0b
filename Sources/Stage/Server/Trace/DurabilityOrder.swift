import HoldfastJSON

/// The order in which a server wrote an answer, synced it, and sent `done` (PERSIST-8).
///
/// Evidence for a person and no verdict: a store in another process, in mapped memory or compressed is not seen.
enum DurabilityOrder: Sendable, Equatable {
    /// Written to a file, synced, and only then sent.
    case synchronised
    /// Written to a file, then sent; a power failure before the next sync loses it.
    case written
    /// Sent before it was written to a file.
    case sentFirst
    /// Nothing can be said, for a reason.
    case undecided(String)

    /// The order that a trace shows.
    ///
    /// * `question`: A write of it is none of the answer.
    init(of answer: String, to question: String, in calls: [SystemCall]) {
        guard answer.utf8.count >= Self.shortest, !question.contains(answer) else {
            self = .undecided("the answer is too short or part of the question, so files contain it anyway")
            return
        }
        let spellings = Self.spellings(of: answer)
        let carrying = calls.filter { call in
            guard call.hasSucceeded, Self.carriers.contains(call.name) else { return false }
            let bytes = call.bytes
            return spellings.contains { bytes.contains($0) }
        }
        let sends = carrying.filter { $0.isToSocket && $0.bytes.contains(Array(#""done""#.utf8)) }
        guard let sent = sends.map(\.began).min() else {
            self = .undecided("`done` was in no socket write (encryption, compression, or in pieces)")
            return
        }
        let writes = carrying.filter(\.isToFile)
        guard !writes.isEmpty else {
            self = .undecided("the answer was in no file write (another process, memory map, compression)")
            return
        }
        let inTime = writes.filter { $0.ended < sent }
        if inTime.isEmpty {
            self = .sentFirst
        } else {
            let files = FileHistory(calls)
            self = inTime.contains { files.isSynchronised($0, before: sent) } ? .synchronised : .written
        }
    }

    /// The orders of several answers, in which they came.
    static func orders(of answers: [String], to questions: String, in calls: [SystemCall]) -> [DurabilityOrder] {
        // Text of an earlier answer was written with that answer.
        answers.indices.filter { index in !answers[..<index].contains { $0.contains(answers[index]) } }
            .map { DurabilityOrder(of: answers[$0], to: questions, in: calls) }
    }

    /// The worst that was seen; what decides nothing counts only when nothing else was seen.
    static func worst(_ orders: [DurabilityOrder]) -> DurabilityOrder {
        let worst = [.sentFirst, .written, .synchronised].first { orders.contains($0) }
        return worst ?? orders.first ?? .undecided("no `done` came while it was traced")
    }

    /// Whether it says nothing.
    var isUndecided: Bool {
        if case .undecided = self { true } else { false }
    }

    /// A shorter answer may stand anywhere.
    private static let shortest = 8
    private static let carriers: Set<String> = [
        "write", "writev", "pwrite64", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg",
    ]

    /// The forms of the answer in a file or a frame: as it is, and as JSON text with and without escapes.
    private static func spellings(of answer: String) -> [[UInt8]] {
        let json = JSONValue.string(answer).text().dropFirst().dropLast()
        let ascii = json.utf16.map { unit in
            guard unit >= 0x80 else { return String(decoding: [unit], as: UTF16.self) }
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
        return Set([answer, String(json), ascii]).map { Array($0.utf8) }
    }
}

extension DurabilityOrder: CustomStringConvertible {
    var description: String {
        switch self {
        case .synchronised: "answer written, synced, then sent"
        case .written: "answer written, then sent without a sync"
        case .sentFirst: "answer sent before it was written to a file"
        case .undecided(let reason): "undecided: \(reason)"
        }
    }
}

/// The syncs of each file.
private struct FileHistory {
    private let renames: [(at: Int, from: String, to: String)]
    private let synchronisations: [SystemCall]
    private let openings: [SystemCall]

    init(_ calls: [SystemCall]) {
        let calls = calls.filter(\.hasSucceeded)
        renames = calls.filter { $0.name.hasPrefix("rename") }.sorted { $0.ended < $1.ended }.compactMap { call in
            let paths = call.texts.map { String(decoding: $0, as: UTF8.self) }
            return paths.count == 2 ? (call.ended, paths[0], paths[1]) : nil
        }
        synchronisations = calls.filter { ["fsync", "fdatasync", "sync", "syncfs"].contains($0.name) }
        openings = calls.filter { ["open", "openat"].contains($0.name) }
    }

    /// Whether what was written had reached the disk at a moment, as far as the calls tell.
    func isSynchronised(_ write: SystemCall, before moment: Int) -> Bool {
        guard let path = write.target else { return false }
        if write.name == "pwritev2", write.names("RWF_DSYNC") || write.names("RWF_SYNC") { return true }
        let opening = openings.last { $0.opened == path && $0.ended < write.began }
        if let opening, opening.names("O_DSYNC") || opening.names("O_SYNC") { return true }
        return synchronisations.contains { call in
            guard call.began > write.ended, call.ended < moment else { return false }
            if call.name == "sync" || call.name == "syncfs" { return true }
            return call.target == self.path(path, from: write.ended, to: call.began)
        }
    }

    /// The later name of a file; descriptors stay with a renamed file, and a trace shows its new name.
    private func path(_ path: String, from start: Int, to end: Int) -> String {
        renames.filter { start < $0.at && $0.at < end }.reduce(path) { path, rename in
            if path == rename.from { return rename.to }
            // A relative path has the same folder before it on both sides.
            guard !rename.from.hasPrefix("/"), path.hasSuffix("/" + rename.from) else { return path }
            return rename.to.hasPrefix("/") ? rename.to : path.dropLast(rename.from.count) + rename.to
        }
    }
}

extension SystemCall {
    /// Whether it writes to a file that may be a store.
    fileprivate var isToFile: Bool {
        guard let target, target.hasPrefix("/") else { return false }
        return !["/dev/", "/proc/", "/sys/"].contains { target.hasPrefix($0) }
    }

    /// Whether it writes to a connection; where the name is not known, any socket counts.
    fileprivate var isToSocket: Bool { target.map { $0.hasPrefix("TCP") || $0.hasPrefix("socket:") } ?? false }
}

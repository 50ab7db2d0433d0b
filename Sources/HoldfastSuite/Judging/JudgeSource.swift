import Holdfast
import HoldfastCaptures
import HoldfastJSON
import HoldfastJudge
import HoldfastPlatform
import HoldfastReport
import HoldfastTranscript

/// One file, from which one worker at a time takes the next history to judge.
final class JudgeSource: Sendable {
    struct Unit: Sendable {
        let file: Int
        let number: Int
        let history: History
        let locations: [CaptureLocation]
        let wasCutShort: Bool
        /// The clauses that the run of a report was about; nil for all.
        var inQuestion: Set<ClauseID>?
        /// The scenario and the verdicts that were stored with the history; nil outside a report.
        let stored: (scenario: String, verdicts: [Verdict])?

        /// The name of its transcript in a folder of parts; the name of its scenario may be an unsafe path.
        var partName: String { "file-\(file + 1)-part-\(number)" }
    }

    struct Summary: Sendable {
        var form: CaptureForm?
        var leftOut = CaptureOmissions()
        /// Remarks to show first: how the file was read, and what it lacks.
        var remarks: [String] = []
        /// Whether the file should contain messages, but does not.
        var lacksMessages = false
        var bytes = 0
        var problem: InputProblem?
        var moreProblems: [InputProblem] = []
        /// The events that a capture lacks; empty for scenarios of a stage.
        var lacks: Set<History.Capture.Lack>?
        /// The profiles stated in greetings, if none were declared; nil if none stated a list.
        var stated: Set<Profile>?
        /// Whether the run of a report left clauses untested or inconclusive, or failed itself.
        var runIsIncomplete = false
    }

    /// The state is only touched under the lock.
    private struct State: @unchecked Sendable {
        var input: InputFile?
        var reader: CaptureReader?
        var parts = CapturedParts()
        var waiting: [CapturedParts.Part] = []
        var scenarios: [ScenarioResult] = []
        var inQuestion: Set<ClauseID>?
        var number = 0
        var hasBegun = false
        var isAtEnd = false
        var summary = Summary()
    }

    let path: String
    private let index: Int
    private let options: JudgeOptions
    private let state = Mutex(State())

    init(_ path: String, index: Int, options: JudgeOptions) {
        (self.path, self.index, self.options) = (path, index, options)
    }

    var name: String { path == "-" ? "standard input" : path }

    var summary: Summary { state.withLock { $0.summary } }

    /// The next history; nil at the end, or after a problem.
    func next() -> Unit? {
        state.withLock { state in
            do throws(InputProblem) {
                return try next(&state)
            } catch {
                state.summary.problem = error
                state.isAtEnd = true
                // Events that were already read are kept.
                return finish(&state)
            }
        }
    }

    private func next(_ state: inout State) throws(InputProblem) -> Unit? {
        if !state.hasBegun { try begin(&state) }
        if !state.scenarios.isEmpty {
            let scenario = state.scenarios.removeFirst()
            state.number += 1
            return Unit(
                file: index, number: state.number, history: scenario.history, locations: [], wasCutShort: false,
                inQuestion: state.inQuestion, stored: (scenario.name, scenario.verdicts))
        }
        while state.waiting.isEmpty, !state.isAtEnd { try readMore(&state) }
        if state.number == 0, let first = state.waiting.first?.history, first.header.dialect.isCanonical {
            do throws(InputProblem) {
                try refuseForeign(WireSample(first))
            } catch {
                state.waiting = []
                throw error
            }
        }
        return nextWaiting(&state)
    }

    private func nextWaiting(_ state: inout State) -> Unit? {
        state.waiting.isEmpty ? nil : unit(state.waiting.removeFirst(), &state)
    }

    private func unit(_ part: CapturedParts.Part, _ state: inout State) -> Unit {
        state.number += 1
        if let capture = part.history.header.capture {
            state.summary.lacks = (state.summary.lacks ?? []).union(capture.lacks)
        }
        return Unit(
            file: index, number: state.number, history: declaring(part.history, &state), locations: part.locations,
            wasCutShort: part.wasCutShort, stored: nil)
    }

    /// The history with the profiles that its server stated; a run's transcript keeps its own by default.
    private func declaring(_ history: History, _ state: inout State) -> History {
        let subject = history.header.subject
        if options.hasGivenProfiles, subject.role == options.reading.subject.role {
            var header = history.header
            header.subject.profiles = options.reading.subject.profiles
            return History(header: header, events: history.events, frames: history.frames)
        }
        guard options.isUndeclared, history.header.capture != nil, subject.role == .server,
            subject.profiles == options.reading.subject.profiles
        else { return history }
        return history.declaring(&state.summary.stated)
    }

    private func finish(_ state: inout State) -> Unit? {
        if let part = state.parts.finish(capture: state.reader?.capture) { state.waiting.append(part) }
        return nextWaiting(&state)
    }

    private func begin(_ state: inout State) throws(InputProblem) {
        state.hasBegun = true
        var opening: [UInt8]
        do {
            state.input = try InputFile(path, timeout: options.pipeTimeout)
            opening = try state.input?.opening(CaptureForm.openingBytes) ?? []
        } catch {
            throw problem(error, state)
        }
        if PacketCapture.isOne(opening), options.form == nil, path != "-",
            let text = Processes.output(of: ["tshark"] + PacketCapture.arguments(for: path)), !text.isEmpty
        {
            state.input = InputFile(holding: text)
            opening = Array(text.prefix(CaptureForm.openingBytes))
        }
        let form = try form(of: opening)
        state.summary.form = form
        if form == .report { return try readReport(&state) }
        // A large part of a file is read to find the owner of the log; for a pipe, the opening must suffice.
        let beginning = path == "-" ? opening : (try? state.input?.opening(Self.ownerSearchBytes)) ?? opening
        let isWhole = beginning.count < (path == "-" ? CaptureForm.openingBytes : Self.ownerSearchBytes)
        state.reader = reader(form, beginning, isWhole: isWhole)
    }

    /// The number of bytes of a file that are read to find its owner.
    private static let ownerSearchBytes = 1 << 20

    private func reader(
        _ form: CaptureForm, _ opening: [UInt8], isWhole: Bool = false, skipsWrongLines: Bool = false
    ) -> CaptureReader {
        var reader = CaptureReader(form, file: name, options: options.reading, skipsWrongLines: skipsWrongLines)
        if form == .frames || form == .notes {
            reader.orient(by: CaptureOpening(opening, dialect: options.reading.dialect, isWhole: isWhole))
        }
        return reader
    }

    /// The format of the file; another protocol is reported before any problem with its lines.
    private func form(of opening: [UInt8]) throws(InputProblem) -> CaptureForm {
        do throws(InputProblem) {
            let form =
                if let known = options.form {
                    known
                } else {
                    try CaptureForm.recognized(in: opening, file: name, dialect: options.reading.dialect)
                }
            if ![.transcript, .report, .har].contains(form) { try refuseForeign(CaptureOpening(opening).sample) }
            return form
        } catch {
            try refuseForeign(CaptureOpening(opening).sample)
            throw error
        }
    }

    private func refuseForeign(_ sample: WireSample) throws(InputProblem) {
        guard options.reading.dialect.isCanonical, let foreign = sample.foreign(among: options.dialects) else { return }
        throw InputProblem(name, foreign.what, expected: ForeignProtocol.expected, fix: foreign.fix(naming: name))
    }

    private func readReport(_ state: inout State) throws(InputProblem) {
        var bytes: [UInt8] = []
        while case let more = try chunk(&state), !more.isEmpty {
            bytes += more
            guard bytes.count <= ReportReader.maxBytes else {
                throw InputProblem(
                    "\(name) (byte \(ReportReader.maxBytes))", "the report is too large",
                    expected: "at most \(ReportReader.maxBytes) bytes", fix: "judge its transcripts one by one")
            }
        }
        state.isAtEnd = true
        do {
            let report = try RunReport(bytes, file: path)
            state.summary.runIsIncomplete = report.exit == .incomplete || report.exit == .harness
            state.scenarios = report.scenarios.filter { $0.skipped == nil }
            state.inQuestion = report.inQuestion
        } catch {
            state.summary.moreProblems = Array(error.problems.dropFirst())
            throw error.problems.first
                ?? InputProblem(name, "the report cannot be read", expected: "a report", fix: "write it again")
        }
    }

    private func readMore(_ state: inout State) throws(InputProblem) {
        guard var reader = state.reader.take() else {
            state.isAtEnd = true
            return
        }
        defer { state.reader = reader }
        let bytes = try chunk(&state)
        state.isAtEnd = bytes.isEmpty
        var items: [CaptureItem] = []
        var failure: InputProblem?
        do throws(InputProblem) {
            if bytes.isEmpty {
                try reader.finish { items.append($0) }
            } else {
                try reader.append(bytes) { items.append($0) }
            }
        } catch {
            failure = error
        }
        state.summary.leftOut = reader.leftOut
        (state.summary.remarks, state.summary.lacksMessages) = (reader.remarks, reader.lacksMessages)
        var tape = JSONTape()
        for item in items {
            if let part = state.parts.take(item, capture: reader.capture, in: &tape) { state.waiting.append(part) }
        }
        if let failure { throw failure }
        if state.isAtEnd, let part = state.parts.finish(capture: reader.capture) { state.waiting.append(part) }
    }

    private func chunk(_ state: inout State) throws(InputProblem) -> [UInt8] {
        do {
            let bytes = try state.input?.next() ?? []
            state.summary.bytes = state.input?.position ?? 0
            return bytes
        } catch {
            throw problem(error, state)
        }
    }

    private func problem(_ error: InputFile.Problem, _ state: State) -> InputProblem {
        InputProblem(error, in: name, at: "\(name) (byte \(state.input?.position ?? 0))", fix: "judge a copy")
    }
}

/// A followed file, whose pieces are passed on as they arrive.
extension JudgeSource {
    /// The histories that a piece completes; `observe` gets each event of the sample.
    func take(
        _ piece: FollowedInput.Piece, sampling sample: inout PrincipalSample?, observe: (Event) -> Void
    ) throws(InputProblem) -> [Unit] {
        try state.withLock { state throws(InputProblem) in
            var items: [CaptureItem] = []
            defer {
                state.summary.leftOut = state.reader?.leftOut ?? CaptureOmissions()
                state.summary.remarks = state.reader?.remarks ?? []
            }
            switch piece {
            case .lines(let bytes):
                try begin(with: bytes, &state)
                state.summary.bytes += bytes.count
                try state.reader?.append(bytes) { items.append($0) }
            case .dropped(let lines, let bytes):
                try state.reader?.skip(lines: lines, bytes: bytes, because: Self.tooFast) { items.append($0) }
            case .truncated:
                try state.reader?.skip(lines: 0, bytes: 0, because: Self.truncated) { items.append($0) }
                state.reader?.beginAgain()
            case .rotated: state.reader?.beginAgain()
            case .end: try state.reader?.finish { items.append($0) }
            }
            if sample != nil { items = items.flatMap { sample?.take($0) ?? [] } }
            if case .end = piece { items += sample?.rest() ?? [] }
            return take(items, observe, &state)
        }
    }

    static let tooFast = "lines of a pipe dropped because the judge was too slow"
    static let truncated = "an unknown number of lines, because the file was truncated"

    private func take(_ items: [CaptureItem], _ observe: (Event) -> Void, _ state: inout State) -> [Unit] {
        var tape = JSONTape()
        for item in items {
            if case .event(let event, _) = item { observe(event) }
            if let part = state.parts.take(item, capture: state.reader?.capture, in: &tape) {
                state.waiting.append(part)
            }
        }
        var units: [Unit] = []
        while let unit = nextWaiting(&state) { units.append(unit) }
        return units
    }

    private func begin(with bytes: [UInt8], _ state: inout State) throws(InputProblem) {
        guard !state.hasBegun, bytes.contains(where: { $0 > 0x20 }) else { return }
        state.hasBegun = true
        let opening = Array(bytes.prefix(CaptureForm.openingBytes))
        let form = try form(of: opening)
        guard ![.har, .report].contains(form) else {
            throw InputProblem(
                name, "\(form.name) is one document and cannot be followed",
                expected: "a transcript, frames or notes, one event per line", fix: "judge it without --follow")
        }
        state.summary.form = form
        state.reader = reader(form, opening, skipsWrongLines: true)
    }

    /// The incomplete history so far; nil if there is none.
    var open: Unit? {
        state.withLock { state in
            var parts = state.parts
            return parts.finish(capture: state.reader?.capture).map { part in
                defer { state.number -= 1 }
                return unit(part, &state)
            }
        }
    }

    func last() -> Unit? { state.withLock { finish(&$0) } }

    func end(with problem: InputProblem) { state.withLock { $0.summary.problem = problem } }
}

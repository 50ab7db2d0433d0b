import Captures
import Foundation
import Holdfast
import JSON
import Transcript

/// The frames and requests of a capture, as far as a dialect is to be checked against them.
enum CaptureFrames {
    /// What a dialect makes of a capture of any form that is read as a stream, and what the reader left aside.
    static func coverage(
        of path: String, by dialect: Dialect
    ) throws -> (coverage: DialectCoverage, leftOut: CaptureLeftOut) {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        } catch {
            throw Tool.refuse(
                path, "cannot be read: \(error.localizedDescription)", expected: "a readable file",
                fix: "check the name and the permissions")
        }
        defer { try? handle.close() }
        var coverage = DialectCoverage(dialect)
        do throws(InputProblem) {
            var chunk = next(from: handle, upTo: CaptureForm.openingBytes)
            let form = try CaptureForm.recognised(in: chunk, file: path)
            guard form != .report else {
                throw InputProblem(
                    place: path, what: "this is a report", expected: "a transcript or a capture",
                    fix: "check the transcripts that lie beside it")
            }
            var reader = CaptureReader(form, file: path, options: options(for: dialect))
            func take(_ item: CaptureItem) {
                guard case .event(let event, let place) = item else { return }
                count(event, place.description, in: &coverage)
            }
            while !chunk.isEmpty {
                try reader.append(chunk, take)
                chunk = next(from: handle, upTo: 1 << 20)
            }
            try reader.finish(take)
            guard coverage.total > 0 else {
                throw InputProblem(
                    place: path, what: "holds no frame",
                    expected: "frames, notes such as 'A -> {\"type\":\"ping\"}', a transcript or a HAR file",
                    fix: "name a capture")
            }
            return (coverage, reader.leftOut)
        } catch {
            throw Tool.refuse([error])
        }
    }

    private static func next(from handle: FileHandle, upTo count: Int) -> [UInt8] {
        (try? handle.read(upToCount: count)).map { [UInt8]($0) } ?? []
    }

    private static func options(for dialect: Dialect) -> CaptureReader.Options {
        CaptureReader.Options(
            subject: History.Subject(name: dialect.name, role: .server, profiles: dialect.profiles), dialect: dialect)
    }

    private static func count(_ event: Event, _ place: String, in coverage: inout DialectCoverage) {
        switch (event.lane, event.kind) {
        case (.connection, .text(let direction, let text)):
            coverage.take(text, sentBy: direction.sender, at: place)
        case (.exchange, .request(let request)):
            coverage.take(RESTRequest(method: request.method, path: request.path), at: place)
        default: break
        }
    }
}

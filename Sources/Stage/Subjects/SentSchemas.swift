import Holdfast
import HoldfastJSON

/// The schemas that the stage's own frames must satisfy before they are sent.
struct SentSchemas: Sendable {
    private let schemas: Result<MessageSchemas, InputProblems>

    init(_ specification: Specification) {
        // Only the core schemas: a scenario may omit the additions of a profile on purpose.
        do {
            schemas = .success(try MessageSchemas(specification.files, profiles: [.core]))
        } catch {
            schemas = .failure(error)
        }
    }

    func knows(_ name: String) -> Bool {
        guard case .success(let schemas) = schemas else { return true }
        return schemas.file(of: name) != nil
    }

    func isSentByClients(_ type: String) -> Bool {
        guard case .success(let schemas) = schemas else { return false }
        return schemas.types(sentBy: .client).contains(type)
    }

    func accepts(_ value: JSONValue, as name: String) -> Bool {
        guard case .success(let schemas) = schemas else { return false }
        return schemas.accepts(value, as: name)
    }

    func problem(of value: JSONValue, as name: String, at location: String) -> HarnessProblem? {
        switch schemas {
        case .success(let schemas):
            guard !schemas.accepts(value, as: name) else { return nil }
            let reasons = schemas.validate(value, as: name).map { "\($0.instance) \($0.what)" }
            return HarnessProblem(.invalidFrame(type: name, reasons: reasons), at: location)
        case .failure(let problems):
            return HarnessProblem(.unusableSchema("\(problems.problems.first?.location ?? "")"), at: location)
        }
    }
}

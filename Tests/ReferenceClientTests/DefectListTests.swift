import Holdfast
import Testing

@testable import ReferenceClient

@Suite struct DefectListTests {
    @Test func `every defect has a name of its own that begins with client`() {
        #expect(Set(ClientDefect.all.map(\.name)).count == ClientDefect.all.count)
        #expect(ClientDefect.all.allSatisfy { $0.name.hasPrefix("client-") })
        #expect(ClientDefect.all.count >= 35)
    }

    @Test func `every judged clause of a client has a defect that breaks it`() throws {
        let specification = try Specification(.embedded)
        let judged = specification.clauses.filter { $0.role == .client && $0.exclusion == nil }
        let broken = Set(ClientDefect.all.map(\.clause))
        #expect(!judged.isEmpty)
        #expect(judged.map(\.id).filter { !broken.contains($0) } == [])
        #expect(broken.subtracting(judged.map(\.id)) == [])
    }

    @Test func `every variation has a name of its own`() {
        #expect(Set(ClientVariation.allCases.map(\.rawValue)).count == ClientVariation.allCases.count)
        #expect(ClientVariation.allCases.count >= 12)
    }
}

import Testing

@testable import HoldfastReference

@Suite struct DefectTests {
    static let healthy = Probes.said(defects: [])

    @Test func `a healthy server says the same twice`() {
        let again = Probes.said(defects: [])
        for (name, said) in Self.healthy { #expect(again[name] == said, "\(name)") }
    }

    /// Defects of the disk and the sockets, which these probes do without; the suite's own run meets them.
    static let outsideTheCore = [
        "persist-rewrites-its-file-in-place", "live-stops-as-if-all-were-said", "auth-remembers-the-first-request",
    ]

    @Test(arguments: Defect.all.filter { !outsideTheCore.contains($0.name) })
    func `every defect changes what a server says or keeps`(_ defect: Defect) {
        let broken = Probes.said(defects: [defect])
        let changed = Self.healthy.filter { broken[$0.key] != $0.value }.map(\.key)
        #expect(!changed.isEmpty, "\(defect) changes nothing in any probe")
    }

    @Test func `every defect and every variation has a name of its own`() {
        let names = Defect.all.map(\.name) + Variation.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: Defect.all) func `a defect is named after the area of its clause`(_ defect: Defect) {
        #expect(defect.name.hasPrefix(defect.clause.area.rawValue.lowercased() + "-"))
        #expect(defect.summary.hasSuffix("."))
        #expect(Defect.named(defect.name) == defect)
    }

    @Test(arguments: Variation.allCases) func `a variation is found by its name`(_ variation: Variation) {
        #expect(Variation.allCases.first { $0.rawValue == variation.rawValue } == variation)
    }
}

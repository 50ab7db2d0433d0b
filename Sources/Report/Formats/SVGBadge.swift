import Holdfast
import HoldfastBasics
import HoldfastJudge

/// A verdict as a small picture for a README; it loads nothing, and its colors are not the only sign.
struct SVGBadge {
    let report: RunReport

    var text: String {
        let (left, right) = ("Holdfast \(PlainText.line(report.specification, limit: 20))", words)
        // No font is certain, so the picture states the width of each text.
        let (first, second) = (width(left), width(right))
        let label = escapedForMarkup("\(left): \(right)")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(first + second)" height="20" role="img" aria-label="\(label)">
            <title>\(escapedForMarkup(PlainText.line(report.headline)))</title>
            <clipPath id="round"><rect width="\(first + second)" height="20" rx="3"/></clipPath>
            <g clip-path="url(#round)"><path fill="#3a3f46" d="M0 0h\(first)v20H0z"/><path fill="\(color)" \
            d="M\(first) 0h\(second)v20H\(first)z"/></g>
            <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
            <text x="\(first / 2)" y="14" textLength="\(first - 12)">\(escapedForMarkup(left))</text>
            <text x="\(first + second / 2)" y="14" textLength="\(second - 12)">\(escapedForMarkup(right))</text>
            </g></svg>\n
            """
    }

    private func width(_ text: String) -> Int { text.count * 13 / 2 + 14 }

    private var words: String {
        let expected = report.expected.isEmpty ? "" : ", \(readable(report.expected.count)) expected"
        return switch report.exit {
        case .conforms: "\(counted(report.clauses(.pass).count, "clause")) passed\(expected)"
        case .violation: "\(counted(report.unexpected.count, "clause")) violated"
        case .incomplete: "incomplete"
        default: report.exit.meaning
        }
    }

    private var color: String {
        switch report.exit {
        case .conforms: "#146c2e"
        case .violation, .harness: "#b3261e"
        default: "#7a4f00"
        }
    }
}

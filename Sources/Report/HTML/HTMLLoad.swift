import Holdfast
import HoldfastBasics

/// The measurements under load: percentiles as a table, and times, frames and violations over time.
struct HTMLLoad {
    let figures: LoadFigures

    private static let (width, left, right) = (960, 70, 950)
    /// The solid line is the median, and the dashed line the 99th percentile.
    private static let lines: [(share: Double, name: String)] = [(0.5, "half"), (0.99, "most")]

    var html: Markup {
        let facts = figures.lines.prefix { !$0.hasPrefix(" ") && !$0.hasPrefix("suite failure") }
        let trouble = figures.problem.map { "<p class=\"said\"><strong class=\"bad\">\($0)</strong></p>\n" as Markup }
        return """
            <ul class="plain">\(facts.map { "<li>\(PlainText.line($0))</li>\n" as Markup })</ul>
            \(trouble ?? table)<div class="scroll" tabindex="0" role="region" aria-label="Charts over time">\
            \(times)\(frames)\(violations)</div>
            <p class="meta">Solid: half of the times of an interval; dashed: 99 %. Times are placed where the action was scheduled, on \
            a scale where each line is ten times the one below. Intervals in which the suite itself was late are shaded.</p>\n
            """
    }

    private var table: Markup {
        let rows = LoadTime.allCases.filter { figures.times($0).count > 0 }.map { time -> Markup in
            let histogram = figures.times(time)
            let cells = LoadFigures.shares.map { share -> Markup in
                "<td>\(LoadFigures.words(histogram.percentile(share.share) ?? 0))</td>"
            }
            return """
                <tr><th scope="row"><span class="plot"><svg width="24" height="10" aria-hidden="true">\
                <line class="\(time.rawValue)" x1="0" y1="5" x2="24" y2="5"/></svg></span> \(time.words)</th>\
                <td>\(readable(histogram.count))</td>\(cells)</tr>\n
                """
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Percentiles"><table>
            <thead><tr><th scope="col">Time</th><th scope="col">count</th><th scope="col">p50</th><th scope="col">p90</th>\
            <th scope="col">p99</th><th scope="col">p99.9</th><th scope="col">max</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>\n
            """
    }

    /// The number of intervals; later events are drawn in the last one.
    private var intervalCount: Int { max(1, (figures.intervals.keys.max() ?? 0) + 1) }

    private func x(_ index: Int) -> Int { Self.left + (Self.right - Self.left) * index / intervalCount }

    private func plot(_ title: String, height: Int, _ content: Markup) -> Markup {
        let late = figures.intervals.filter(\.value.isLate).keys.sorted().map { index -> Markup in
            let width = max(2, (Self.right - Self.left) / intervalCount)
            return
                "<rect class=\"late\" x=\"\(x(index))\" y=\"0\" width=\"\(width)\" height=\"\(height - 20)\"/>"
        }
        let step = max(1, intervalCount / 6)
        let ticks = stride(from: 0, through: intervalCount, by: step).map { index -> Markup in
            "<text x=\"\(x(index))\" y=\"\(height - 4)\" text-anchor=\"middle\">\(index * figures.width) s</text>"
        }
        return """
            <svg class="plot" viewBox="0 0 \(Self.width) \(height)" width="\(Self.width)" height="\(height)" role="img" \
            aria-label="\(title)"><title>\(title)</title>\(late)\(content)\(ticks)</svg>\n
            """
    }

    /// Times on a logarithmic scale from 0.1 ms up.
    private var times: Markup {
        let height = 280
        let most =
            LoadTime.allCases.flatMap { time in
                figures.intervals.values.compactMap { $0.times[time]?.percentile(0.99) }
            }.max() ?? 1000
        var (decades, end) = (1, 1000)
        while end < most, decades < 8 { (decades, end) = (decades + 1, end * 10) }
        func y(_ time: Int) -> Int {
            // Buckets represent doublings, so their numbers are a logarithmic scale.
            let first = TimeHistogram.bucket(of: 100)
            let share = (TimeHistogram.bucket(of: time) - first) * (height - 40)
            return height - 25 - share / (TimeHistogram.bucket(of: end) - first)
        }
        let grid = (0...decades).map { decade -> Markup in
            let time = (0..<decade).reduce(100) { time, _ in time * 10 }
            return """
                <line class="grid" x1="\(Self.left)" y1="\(y(time))" x2="\(Self.right)" y2="\(y(time))"/>\
                <text x="\(Self.left - 6)" y="\(y(time) + 4)" text-anchor="end">\(LoadFigures.words(time))</text>
                """
        }
        let curves = LoadTime.allCases.flatMap { time in
            Self.lines.map { share, name -> Markup in
                let points = figures.intervals.sorted { $0.key < $1.key }.compactMap { index, interval in
                    interval.isLate
                        ? nil
                        : interval.times[time]?.percentile(share).map {
                            "\((x(index) + x(index + 1)) / 2),\(y(max(100, $0)))"
                        }
                }
                return points.isEmpty
                    ? "" : "<polyline class=\"\(time.rawValue) \(name)\" points=\"\(points.joined(separator: " "))\"/>"
            }
        }
        return plot("Latency over time", height: height, "\(grid)\(curves)")
    }

    private var frames: Markup {
        bars(
            "Frames a second", "frames", height: 120,
            figures.intervals.filter { figures.isDuring($0.key) }.mapValues { $0.frames / figures.width })
    }

    private var violations: Markup {
        let counts = figures.intervals.mapValues(\.violations).filter { $0.value > 0 }
        return counts.isEmpty ? "" : bars("Violations", "broken", height: 90, counts)
    }

    private func bars(_ title: String, _ name: String, height: Int, _ counts: [Int: Int]) -> Markup {
        let most = max(1, counts.values.max() ?? 1)
        let width = max(2, (Self.right - Self.left) / intervalCount - 2)
        let bars = counts.sorted { $0.key < $1.key }.map { index, count -> Markup in
            let size = (height - 40) * count / most
            return
                "<rect class=\"\(name)\" x=\"\(x(index))\" y=\"\(height - 20 - size)\" width=\"\(width)\" height=\"\(size)\"/>"
        }
        return plot(
            title, height: height,
            "<text x=\"\(Self.left)\" y=\"12\">\(title), at most \(readable(most))</text>\(bars)")
    }
}

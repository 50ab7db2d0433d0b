import HoldfastBasics
import HoldfastTranscript

/// Events as report lines: time in milliseconds, then the event in brief notation.
package struct EventLines {
    private let history: History
    private let printer: NotationPrinter

    package init(_ history: History) {
        self.history = history
        printer = NotationPrinter(history)
    }

    package func lines(of events: [Int], width: Int) -> [String] {
        let times = events.map { index in
            history.events.indices.contains(index) ? "+\(readable(history.events[index].at / 1000)) ms" : "-"
        }
        let column = times.map(\.count).max() ?? 0
        var before: String?
        return zip(events, times).map { index, time in
            // Control characters would let a hostile subject control the terminal.
            var word = visible(String(printer.word(of: index).unicodeScalars.prefix(600)))
            // One word can cover several events, such as a request and its response.
            if word == before { word = "(the same)" }
            before = word
            let line = aligned(time, column) + "  " + word
            return line.count <= width ? line : String(line.prefix(width - 1)) + "…"
        }
    }
}

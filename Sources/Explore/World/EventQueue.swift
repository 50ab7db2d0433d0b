/// Future events in the order of their times; events with the same time keep the order in which they were added.
struct EventQueue<Entry> {
    private var heap: [(at: Int, order: Int, entry: Entry)] = []
    private var order = 0

    mutating func add(_ entry: Entry, at time: Int) {
        order += 1
        heap.append((time, order, entry))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (at: Int, entry: Entry)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return (first.at, first.entry) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) {
                least = child
            }
            guard least != parent else { return (first.at, first.entry) }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].at, heap[left].order) < (heap[right].at, heap[right].order)
    }
}

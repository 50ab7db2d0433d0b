/// Plain values in memory that never moves or changes, so that they are read without counting references.
///
/// Whoever takes `start` keeps the table alive as long as he reads, and reads only positions below `count`.
final class PlainTable<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
    let start: UnsafePointer<Element>
    let count: Int

    init(_ elements: [Element]) {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        _ = UnsafeMutableBufferPointer(start: memory, count: elements.count).initialize(from: elements)
        start = UnsafePointer(memory)
        count = elements.count
    }

    deinit {
        start.deallocate()
    }
}

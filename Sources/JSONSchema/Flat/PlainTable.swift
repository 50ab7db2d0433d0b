/// Plain values in memory that never moves or changes, so that they are read without counting references.
///
/// Whoever takes `start` keeps the table alive as long as he reads, and reads no position beyond the elements.
final class PlainTable<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
    let start: UnsafePointer<Element>

    init(_ elements: [Element]) {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        _ = UnsafeMutableBufferPointer(start: memory, count: elements.count).initialize(from: elements)
        start = UnsafePointer(memory)
    }

    deinit {
        start.deallocate()
    }
}

import HoldfastPlatform
import Testing

@Suite struct MutexTests {
    @Test func `one at a time has the value`() async {
        final class Texts: Sendable { let list = Mutex<[String]>([]) }
        let texts = Texts()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<2000 { texts.list.withLock { $0.append("a text") } } }
            }
        }
        #expect(texts.list.withLock { $0.count } == 16000)
    }

    @Test func `a body that throws gives the value back, and its error`() {
        let number = Mutex(1)
        #expect(throws: SystemError.brokenPipe) {
            try number.withLock { number throws(SystemError) in
                number += 1
                throw .brokenPipe
            }
        }
        #expect(number.withLock { $0 } == 2)
    }

    @Test func `the value goes with the lock`() {
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let lock = Mutex(Held())
            held = lock.withLock { $0 }
            #expect(held != nil)
        }
        #expect(held == nil)
    }
}

import Testing

@testable import HoldfastStage

/// What is read from a trace of system calls; each trace has the form that `strace -f -ttt -yy` writes.
struct DurabilityOrderTests {
    private static let answer = "You said: light“house”"
    private static let socket = "7<TCP:[127.0.0.1:15000->127.0.0.1:43210]>"
    private static let sentBytes =
        #"\201~\0\26{\"type\":\"done\",\"text\":\"You said: light\342\200\234house\342\200\235\"}"#
    private static let stored = #"{\"text\":\"You said: light\342\200\234house\342\200\235\"}\n"#
    private static let write = #"write(5</data/log>, "\#(stored)", 44) = 44"#
    private static let send = #"sendto(\#(socket), "\#(sentBytes)", 52, 0, NULL, 0) = 52"#

    private func order(_ lines: [String], answer: String = answer, question: String = "say") -> DurabilityOrder {
        // A line names its process before a bar, or is of process 10.
        let trace = lines.enumerated().map { number, line in
            let parts = line.split(separator: "¦", maxSplits: 1)
            let (process, text) = parts.count == 2 ? (parts[0], parts[1]) : ("10", parts[0])
            return "\(process) 1795236203.\(100_000 + number) \(text)\n"
        }.joined()
        return DurabilityOrder(of: answer, to: question, in: TraceReader.calls(in: Array(trace.utf8)))
    }

    // MARK: orders

    @Test(arguments: ["fsync(5</data/log>)   = 0", "fdatasync(5</data/log>) = 0", "syncfs(9</data>) = 0", "sync() = 0"])
    func `written, synchronised, then sent`(synchronisation: String) {
        #expect(order([Self.write, synchronisation, Self.send]) == .synchronised)
    }

    @Test(arguments: [
        [write, send], [write, send, "fsync(5</data/log>) = 0"], [write, "fsync(6</data/other>) = 0", send],
        ["fsync(5</data/log>) = 0", write, send], [write, "fsync(5</data/log>) = -1 EIO (Input/output error)", send],
    ])
    func `written, then sent without a synchronisation of that file between`(lines: [String]) {
        #expect(order(lines) == .written)
    }

    @Test func `sent before it was written`() {
        #expect(order([Self.send, Self.write, "fsync(5</data/log>) = 0"]) == .sentFirst)
        let failed = #"write(5</data/log>, "\#(Self.stored)", 44) = -1 ENOSPC (No space left on device)"#
        #expect(order([failed, Self.send, Self.write]) == .sentFirst)
    }

    @Test func `an answer that no file or no socket showed decides nothing`() {
        let pipe = Self.write.replacing("</data/log>", with: "<pipe:[77]>")
        for lines in [
            [Self.send], [pipe, Self.send], [Self.write.replacing("/data/log", with: "/dev/pts/0"), Self.send],
        ] {
            #expect(
                order(lines) == .undecided("the answer was in no file write (another process, memory map, compression)")
            )
        }
        for lines in [[], [Self.write], [Self.write, Self.send.replacing("done", with: "message")]] {
            #expect(
                order(lines) == .undecided("`done` was in no socket write (encryption, compression, or in pieces)"))
        }
    }

    @Test func `an answer that stands elsewhere too decides nothing`() {
        for (answer, question) in [("ok", "say"), ("please say it", "now please say it")] {
            #expect(order([Self.write, Self.send], answer: answer, question: question).isUndecided)
        }
    }

    @Test func `a log that is never synchronised hides no store that is`() {
        let log = Self.write.replacing("5</data/log>", with: "2</var/debug.log>")
        #expect(order([log, Self.write, "fsync(5</data/log>) = 0", Self.send]) == .synchronised)
    }

    @Test func `of several answers the worst counts, and each only once`() {
        func calls(_ lines: [String]) -> [SystemCall] {
            TraceReader.calls(in: Array(lines.map { "10 1.5 \($0)\n" }.joined().utf8))
        }
        func both(_ number: Int) -> [String] {
            [
                #"write(5</data/log>, "answer \#(number)", 8) = 8"#,
                #"sendto(7<TCP:[a->b]>, "\"done\" answer \#(number)", 15) = 15"#,
            ]
        }
        let fsync = "fsync(5</data/log>) = 0"
        let (first, second) = (both(1), both(2))
        let good = [first[0], fsync, first[1]]
        func order(_ lines: [String], _ answers: [String] = ["answer 1", "answer 2"]) -> DurabilityOrder {
            .worst(DurabilityOrder.orders(of: answers, to: "?", in: calls(lines)))
        }
        #expect(order(good + [second[0], fsync, second[1]]) == .synchronised)
        #expect(order(good + second) == .written)
        #expect(order(good + second.reversed()) == .sentFirst)
        #expect(order(good) == .synchronised)
        #expect(order(good + [first[1]], ["answer 1", "answer 1"]) == .synchronised)
        #expect(order(second + first, ["answer 2 and answer 1", "answer 1"]).isUndecided)
        #expect(order(good, []).isUndecided)
    }

    // MARK: forms

    @Test func `calls of several processes that overlap count from their ends`() {
        let begins = #"11¦write(5</data/log>, "\#(Self.stored)", 44 <unfinished ...>"#
        let ends = "11¦<... write resumed>)     = 44"
        let fsync = ["11¦fsync(5</data/log> <unfinished ...>", "11¦<... fsync resumed>) = 0"]
        #expect(order([begins, ends, fsync[0], fsync[1], Self.send]) == .synchronised)
        #expect(order([begins, Self.send, ends]) == .sentFirst)
        #expect(order([begins, ends, fsync[0], Self.send, fsync[1]]) == .written)
        #expect(order([begins, "12¦fsync(5</data/log>) = 0", ends, Self.send]) == .written)
        let sends = [
            #"12¦sendto(\#(Self.socket), "\#(Self.sentBytes)", 52, 0, NULL, 0 <unfinished ...>"#,
            "12¦<... sendto resumed>) = 52",
        ]
        #expect(order([begins, ends, sends[0], fsync[0], fsync[1], sends[1]]) == .written)
    }

    @Test func `a store that synchronises each write needs no call`() {
        let open = #"openat(AT_FDCWD</>, "/data/log", O_WRONLY|O_CREAT|O_DSYNC|O_CLOEXEC, 0600) = 5</data/log>"#
        #expect(order([open, Self.write, Self.send]) == .synchronised)
        let again = #"openat(AT_FDCWD</>, "/data/log", O_WRONLY|O_CLOEXEC) = 5</data/log>"#
        #expect(order([open, again, Self.write, Self.send]) == .written)
        let pwritev2 =
            #"pwritev2(5</data/log>, [{iov_base="\#(Self.stored)", iov_len=44}], 1, 0, RWF_DSYNC) = 44"#
        #expect(order([pwritev2, Self.send]) == .synchronised)
    }

    @Test(arguments: [
        #"rename("/data/log", "/data/kept") = 0"#, #"renameat(AT_FDCWD</data>, "log", AT_FDCWD</data>, "kept") = 0"#,
    ])
    func `a file that is renamed is still the file`(rename: String) {
        #expect(order([Self.write, rename, "fsync(5</data/kept>) = 0", Self.send]) == .synchronised)
        #expect(order([Self.write, rename, "fsync(5</data/log>) = 0", Self.send]) == .written)
    }

    @Test func `pieces of one write belong together`() {
        let writev =
            #"writev(5</data/log>, [{iov_base="{\"text\":\"You said: light\342\200", iov_len=28}, "#
            + #"{iov_base="\234house\342\200\235\"}", iov_len=10}], 2) = 38"#
        #expect(order([writev, Self.send]) == .written)
    }

    @Test(arguments: [#"light\\u201chouse\\u201d"#, #"light\xe2\x80\x9chouse\xe2\x80\x9d"#])
    func `the answer is known in other spellings`(spelling: String) {
        let write = #"write(5</data/log>, "You said: \#(spelling)\0001", 44) = 44"#
        #expect(order([write, Self.send]) == .written)
    }

    @Test func `escapes of strace are undone`() {
        let trace = #"10 1.5 write(1</a>b>, "\"\\\n\t\r\v\f\0\12\0001\303\251\x41\e", 14) = 14"#
        let calls = TraceReader.calls(in: Array(trace.utf8))
        #expect(calls.first?.target == "/a>b")
        #expect(calls.first?.bytes == [34, 92, 10, 9, 13, 11, 12, 0, 10, 0, 49, 0xC3, 0xA9, 0x41, 101])
    }

    @Test(arguments: [
        "", "10", "10 1.5 ", "10 1.5 +++ exited with 0 +++", "10 1.5 --- SIGTERM {si_signo=SIGTERM} ---",
        "10 1.5 <... write resumed>) = 3", "10 1.5 write(", "10 1.5 write(5</a", "10 1.5 write(5</a>, \"x",
        "10 1.5 write(5</a>, \"x\", 1) = ", "10 1.5 write(5</a>, \"x\", 1 <unfinished ...>", "10 1.5 )= 1",
        "10 1.5 <...",
    ])
    func `what is no whole call is left out`(line: String) {
        #expect(TraceReader.calls(in: Array(line.utf8)).allSatisfy { !$0.hasSucceeded || $0.bytes.isEmpty })
    }
}

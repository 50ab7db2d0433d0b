import Foundation
import TestSupport
import Testing

/// The rooms of the house: which imports which, in what order, and that folders of a room form no circle.
///
/// Read as text, so that a failure names the file, the line and the word. Package.swift names the rooms in their order.
@Suite struct WallTests: Sendable {
    private struct SourceFile: Sendable {
        let path: String
        let room: String
        /// The folder in the room; empty at its top.
        let folder: String
        /// The rooms and the modules of other packages that it imports, with their lines.
        let imports: [(module: String, line: Int)]
        let source: SourceScanner
    }

    /// The rooms by their folders; the module of one may have `Holdfast` before that name.
    private let rooms: [String]
    /// The rooms whose public declarations are the API of a library product.
    private let products: Set<String>
    private let manifest: String
    private let files: [SourceFile]

    /// Scanned once for all tests.
    private static let house = Result { try WallTests(reading: SourceTree.root) }

    init() throws { self = try Self.house.get() }

    private init(reading root: String) throws {
        let manifest = try SourceTree.text("Package.swift")
        let names = manifest.matches(
            of: /(?m)^ {8}(?:room|\.target|\.executableTarget)\(\s*(?:name: )?(?:module\()?"(\w+)"/
        )
        .map { String($0.1) }
        let walker = try #require(FileManager.default.enumerator(atPath: root + "/Sources"))
        let paths = walker.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
        let folders = Set(paths.compactMap { $0.split(separator: "/").first.map(String.init) })
        let rooms = names.filter(folders.contains)
        self.rooms = rooms
        products = Set(
            manifest.matches(of: /\.library\(\s*name: "\w+",\s*targets: \[([^\]]*)\]/)
                .flatMap { $0.1.split { !$0.isLetter && !$0.isNumber }.map(String.init) })
        self.manifest = manifest
        files = try paths.map { path in
            let parts = path.split(separator: "/").map(String.init)
            let source = SourceScanner(try SourceTree.text("Sources/\(path)"))
            return SourceFile(
                path: "Sources/\(path)", room: parts[0], folder: parts[1...].dropLast().joined(separator: "/"),
                imports: source.imports.map { (Self.room(of: $0.module, among: rooms), $0.line) }, source: source)
        }
        #expect(folders.subtracting(rooms) == ["EmbedFiles"], "a folder of Sources/ is no target")
        try #require(rooms.count > 10 && files.count > 300)
    }

    /// The room whose module this is; the module itself where it is of another package.
    private static func room(of module: String, among rooms: [String]) -> String {
        guard !rooms.contains(module), module.hasPrefix("Holdfast") else { return module }
        // The module of 'conformance' begins with a capital.
        let name = module.dropFirst("Holdfast".count).lowercased()
        return rooms.first { $0.lowercased() == name } ?? module
    }

    private func imports(_ modules: Set<String>, outside allowed: Set<String>) -> [String] {
        files.filter { rooms.contains($0.room) && !allowed.contains($0.room) }.flatMap { file in
            file.imports.filter { modules.contains($0.module) }
                .map { "\(file.path):\($0.line) imports \($0.module)" }
        }
    }

    @Test func `a room imports only rooms that stand above it`() {
        for file in files {
            for (module, line) in file.imports {
                guard let target = rooms.firstIndex(of: module), let own = rooms.firstIndex(of: file.room) else {
                    continue
                }
                #expect(target < own, "\(file.path):\(line): \(file.room) imports \(module), which stands after it")
            }
        }
    }

    @Test func `a room is said to import what it imports`() throws {
        for room in rooms where room != "FileEmbedder" {
            let start = try #require(
                manifest.firstRange(
                    of: try Regex(
                        "(?m)^ {8}(room|\\.target|\\.executableTarget)\\(\\s*(name: )?(module\\()?\"\(room)\"")))
            let rest = manifest[start.upperBound...]
            let entry = rest[..<(rest.firstRange(of: /\n {8}[a-z\.\/]/)?.lowerBound ?? rest.endIndex)]
            let said = Set(entry.matches(of: /"(\w+)"/).map { String($0.1) }).intersection(rooms)
            let imported = Set(files.filter { $0.room == room }.flatMap { $0.imports.map(\.module) })
                .intersection(rooms)
            #expect(said == imported, "Package.swift: \(room)")
        }
    }

    @Test func `only Platform knows the system it runs on`() {
        #expect(imports(["Glibc", "Musl", "Darwin"], outside: ["CLibrary"]) == [])
        #expect(imports(["CLibrary"], outside: ["Platform"]) == [])
    }

    // Only a compiler for Apple's systems says so; here a list of what is newest has to do.
    @Test func `the systems that Package.swift names have what the sources use`() throws {
        let newer = [
            14: "Observation withDiscardingTaskGroup withThrowingDiscardingTaskGroup asUnownedSerialExecutor",
            15: "Synchronization Int128 UInt128 validating RangeSet TaskExecutor withTaskExecutorPreference",
            26: "InlineArray Span RawSpan MutableSpan OutputSpan UTF8Span utf8Span addImmediateTask",
        ]
        let platforms = try #require(manifest.firstMatch(of: /\.macOS\(\.v(\d+)\), \.iOS\(\.v(\d+)\)/))
        let macOS = try #require(Int(platforms.1))
        #expect(Int(platforms.2) == macOS + 3, "Package.swift: the systems are not of the same year")
        for (version, names) in newer where version > macOS {
            for file in files {
                let used = file.source.words.intersection(names.split(separator: " ").map(String.init)).sorted()
                #expect(
                    used == [], "\(file.path): macOS has these from \(version) on, and Package.swift names \(macOS)")
            }
        }
    }

    @Test func `no room above Transport imports Foundation`() throws {
        let index = try #require(rooms.firstIndex(of: "Transport"))
        let allowed = Set(rooms[index...]).union(["SmallFoundation"])
        #expect(imports(["Foundation", "FoundationEssentials", "SmallFoundation"], outside: allowed) == [])
    }

    @Test func `only SmallFoundation and what builds the house import Foundation`() {
        let builders: Set = ["SmallFoundation", "FileEmbedder", "Benchmark"]
        #expect(imports(["Foundation", "FoundationEssentials"], outside: builders) == [], "it doubles the program")
    }

    @Test func `only Transport and TLS import SwiftNIO`() {
        let modules = files.flatMap { $0.imports.map(\.module) }.filter { $0.hasPrefix("NIO") }
        #expect(imports(Set(modules), outside: ["Transport", "TLS"]) == [])
    }

    // The top of a room is its front: what all of its folders share, and what puts them together. So is a folder to those in it.
    @Test func `folders of a room do not use each other in a circle`() throws {
        for room in rooms {
            let uses = uses(in: room)
            let circle = circle(in: uses.mapValues { Set($0.keys) })
            let reasons = zip(circle, circle.dropFirst()).compactMap { uses[$0]?[$1] }
            #expect(circle == [], "\(room): \(reasons.joined(separator: "; "))")
        }
    }

    @Test func `the folders of large rooms are described, and use what is said`() throws {
        let page = try SourceTree.text("Sources/conformance/Documentation.docc/Architecture.md")
        let rows = page.matches(of: /(?m)^\| `(\w+)\/(\w+)` \| [^|]+\|([^|]*)\|$/)
        for room in ["Stage", "HoldfastSuite", "Report"] {
            let said = rows.filter { $0.1 == room }
            let uses = uses(in: room)
            let folders = files.filter { $0.room == room && !$0.folder.isEmpty && !$0.folder.contains("/") }
            #expect(Set(said.map { String($0.2) }) == Set(folders.map(\.folder)), "\(room)")
            for row in said {
                let allowed = Set(row.3.matches(of: /`(\w+)`/).map { String($0.1) })
                let used = uses[String(row.2)] ?? [:]
                #expect(Set(used.keys) == allowed, "\(room)/\(row.2): \(used.values.sorted())")
            }
        }
    }

    /// Which folders of a room use which others, each with a use.
    private func uses(in room: String) -> [String: [String: String]] {
        let files = files.filter { $0.room == room }
        var homes: [String: Set<String>] = [:]
        for file in files {
            for declaration in file.source.declarations where declaration.isTopLevel {
                homes[declaration.name, default: []].insert(file.folder)
            }
        }
        var uses: [String: [String: String]] = [:]
        for file in files where !file.folder.isEmpty {
            for word in file.source.words.sorted() {
                guard let found = homes[word], found.count == 1, let home = found.first else { continue }
                let isFront = "\(file.folder)/".hasPrefix("\(home)/") || home.hasPrefix("\(file.folder)/")
                if !home.isEmpty, !isFront, uses[file.folder]?[home] == nil {
                    uses[file.folder, default: [:]][home] = "\(file.path) uses \(word) of \(home)"
                }
            }
        }
        return uses
    }

    /// The folders of a circle, the first once more at the end; empty without one.
    private func circle(in uses: [String: Set<String>]) -> [String] {
        var finished: Set<String> = []
        func search(_ folder: String, _ path: [String]) -> [String] {
            if let start = path.firstIndex(of: folder) { return path[start...] + [folder] }
            guard !finished.contains(folder) else { return [] }
            for next in (uses[folder] ?? []).sorted() {
                let found = search(next, path + [folder])
                if !found.isEmpty { return found }
            }
            finished.insert(folder)
            return []
        }
        return uses.keys.sorted().lazy.map { search($0, []) }.first { !$0.isEmpty } ?? []
    }

    // A type may be known to others by its members alone, and members that a protocol asks for by nobody.
    @Test func `what is declared for other rooms is used in one`() {
        let types: Set<String> = ["struct", "enum", "class", "actor", "protocol", "typealias"]
        let witnesses: Set<String> = ["makeAsyncIterator"]
        var users: [String: Set<String>] = [:]
        for file in files {
            for word in file.source.words { users[word, default: []].insert(file.room) }
        }
        var unused: [String] = []
        for file in files {
            for declaration in file.source.declarations {
                guard let access = declaration.access, !types.contains(declaration.keyword),
                    !witnesses.contains(declaration.name)
                else { continue }
                if access == "public", products.contains(file.room) { continue }
                if users[declaration.name]?.subtracting([file.room]).isEmpty ?? true {
                    unused.append("\(file.path):\(declaration.line): \(access) \(declaration.name)")
                }
            }
        }
        #expect(unused == [], "no other room uses these")
    }

    /// The most lines of Swift that a folder may have: each number only gets smaller.
    private static let maxLines = ["Sources/": 109_924, "Sources/Judge/": 17_967]

    // What is added makes something else needless, or takes its place.
    @Test(arguments: maxLines.keys.sorted()) func `a folder does not grow`(folder: String) throws {
        let lines = try files.filter { $0.path.hasPrefix(folder) }.reduce(0) { count, file in
            count + (try SourceTree.text(file.path)).utf8.count { $0 == UInt8(ascii: "\n") }
        }
        #expect(lines <= Self.maxLines[folder] ?? 0, "\(folder) has \(lines) lines; make it shorter by what was added")
    }

    // A predicate reads like its clause. What takes longer to find out is a fact, which has a name of its own.
    @Test func `a function of an area has at most 30 lines`() throws {
        for file in files where file.path.hasPrefix("Sources/Judge/Areas/") {
            for (name, line, count) in functions(in: try SourceTree.text(file.path)) {
                #expect(count <= 30, "\(file.path):\(line): \(name) has \(count) lines")
            }
        }
    }

    /// The functions and initializers of a formatted source that are in no other, with the lines of their bodies.
    private func functions(in source: String) -> [(name: String, line: Int, count: Int)] {
        var found: [(name: String, line: Int, count: Int)] = []
        var open: (name: String, line: Int, indentation: Substring, body: Int?)?
        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let indentation = line.prefix { $0 == " " }
            if open == nil, let match = line.firstMatch(of: /^ *(?:\w+ )*(?:func (`?\w+)|(init)\b)/) {
                open = (String(match.1 ?? match.2 ?? ""), index + 1, indentation, nil)
            }
            guard let function = open else { continue }
            if function.body == nil, line.contains("{") { open?.body = index }
            let isOneLine = function.body == nil && line.hasSuffix("}")
            guard isOneLine || line.hasPrefix("\(function.indentation)}") else { continue }
            found.append((function.name, function.line, max(0, index - (function.body ?? index) - 1)))
            open = nil
        }
        return found
    }

    // The order of two events is asked for in one place, which says what never happened counts as.
    @Test func `areas do not compare events`() throws {
        let comparison = try Regex(
            #"\.(event|request|response)\??[ ]+[<>]=? |"#
                + #"[<>]=? [\w.$?!]*\.(event|request|response)\b"#)
        for file in files where file.path.hasPrefix("Sources/Judge/Areas/") {
            for (index, line) in try SourceTree.text(file.path).split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//")
            {
                #expect(
                    line.firstMatch(of: comparison) == nil,
                    "\(file.path):\(index + 1): Reading/Moments.swift says this in words")
            }
        }
    }

    @Test func `functions are found with the lines of their bodies`() {
        let source = """
            enum Area {
                static func short() -> Int { 1 }
                private static func long(
                    _ label: Int
                ) {
                    let local = { (one: Int) in
                        one
                    }

                    func inner() { _ = local }
                }
                init?() {
                    return nil
                }
            }
            """
        let found = functions(in: source)
        #expect(found.map(\.name) == ["short", "long", "init"])
        #expect(found.map(\.line) == [2, 3, 12])
        #expect(found.map(\.count) == [0, 5, 1])
    }

    @Test func `a circle is found, and named`() {
        #expect(circle(in: ["a": ["b"], "b": ["c"], "c": ["b"]]) == ["b", "c", "b"])
        #expect(circle(in: ["a": ["b", "c"], "b": ["c"]]) == [])
    }

    @Test func `a source is read without its comments`() {
        let source = SourceScanner(
            """
            import One  // import Two
            /// struct Comment
            package static func named(_ label: Int) -> String { let local = "\\(used(1)) text" }
            public struct `Outer` { package(set) var inner = #"raw \\#(deep) " quote"# }
            """)
        #expect(source.imports.map(\.module) == ["One"])
        #expect(source.declarations.map(\.name) == ["named", "local", "Outer", "inner"])
        #expect(source.declarations.map(\.access) == ["package", nil, "public", "package"])
        #expect(source.declarations.map(\.isTopLevel) == [true, false, true, false])
        #expect(source.words.isSuperset(of: ["used", "deep", "label"]))
        #expect(source.words.isDisjoint(with: ["Two", "Comment", "quote"]))
    }
}

// Foundation without its tables of languages, which are more than half of a program that links them. Apple's systems bring the
// whole with them.
#if canImport(FoundationEssentials)
@_exported import FoundationEssentials
#else
@_exported import Foundation
#endif

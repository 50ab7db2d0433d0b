// Foundation without its localization tables, which are more than half of a program that links them. Apple's systems
// include the whole library.
#if canImport(FoundationEssentials)
@_exported import FoundationEssentials
#else
@_exported import Foundation
#endif

// swift-tools-version: 6.2
// Dependencies have one direction, without cycles: copypasta → CopyPastaApp → {GtkKit, X11Kit, ClipHistory} →
// SerialQueue. X11Kit and CopyPastaApp also use ClipboardCore.
import PackageDescription

// Store the 28,000 relocations in 5 KiB instead of 0.6 MiB, because the dynamic linker reads all of them at each start.
// This needs glibc 2.36 and lld, which Swift's toolchain includes.
let compactLinking = ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]

let package = Package(
  name: "CopyPasta",
  products: [.executable(name: "copypasta", targets: ["copypasta"])],
  targets: [
    .systemLibrary(
      name: "CGtk", path: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // libgtk-4-dev also installs XCB, because it depends on libx11-dev.
    .systemLibrary(name: "CXCB", pkgConfig: "xcb", providers: [.apt(["libgtk-4-dev"])]),

    .target(name: "SerialQueue"),
    .target(name: "ClipboardCore"),
    // Optimized even in debug builds, because its tests examine thousands of damaged files.
    .target(
      name: "ClipHistory", dependencies: ["CSQLite", "SerialQueue"],
      swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .target(name: "X11Kit", dependencies: ["CXCB", "SerialQueue", "ClipboardCore"]),
    .target(name: "GtkKit", dependencies: ["CGtk", "SerialQueue"]),
    .target(
      name: "CopyPastaApp",
      dependencies: ["GtkKit", "X11Kit", "ClipHistory", "ClipboardCore", "SerialQueue"],
      resources: [
        .embedInCode("Resources/style.css"), .embedInCode("Resources/look.css"),
        .embedInCode("Resources/contrast.css"), .embedInCode("Resources/square.css"),
        .embedInCode("Resources/tray-icon.argb"),
      ]),
    .executableTarget(
      name: "copypasta", dependencies: ["CopyPastaApp"],
      linkerSettings: [.unsafeFlags(compactLinking, .when(configuration: .release))]),

    // `swift build -c release` also builds plain targets, so none of them may use a `@testable` import. TestSupport and
    // TextPipeline are optimized even in debug builds, because they compare many pictures and bytes.
    .target(
      name: "TestSupport", dependencies: ["CSQLite", "CXCB"], path: "Tests/TestSupport",
      exclude: ["Fixtures"], swiftSettings: [.unsafeFlags(["-O"])]),
    .target(
      name: "GtkTestSupport", dependencies: ["GtkKit", "CGtk", "TestSupport"], path: "Tests/GtkTestSupport"),
    // Runs a command on a private desktop, for the scripts of meson-helpers.
    .executableTarget(name: "desktop", dependencies: ["TestSupport"], path: "Tests/Desktop"),
    .testTarget(
      name: "ClipHistoryTests", dependencies: ["ClipHistory", "CSQLite", "TestSupport"]),
    .testTarget(
      name: "X11KitTests", dependencies: ["X11Kit", "ClipboardCore", "TestSupport"], exclude: ["Fixtures"]),
    .executableTarget(
      name: "MainLoopProbe", dependencies: ["GtkKit", "SerialQueue"], path: "Tests/MainLoopProbe"),
    .testTarget(
      name: "GtkKitTests",
      dependencies: ["GtkKit", "CGtk", "MainLoopProbe", "TestSupport", "GtkTestSupport"]),
    .target(
      name: "TextPipeline", dependencies: ["CopyPastaApp", "ClipHistory", "GtkKit"],
      path: "Tests/TextPipeline", swiftSettings: [.unsafeFlags(["-O"])]),
    .testTarget(
      name: "CopyPastaAppTests",
      dependencies: [
        "CopyPastaApp", "ClipboardCore", "CGtk", "CSQLite", "TestSupport", "GtkTestSupport", "TextPipeline",
      ]),
    .testTarget(name: "EndToEndTests", dependencies: ["copypasta", "ClipHistory", "TestSupport"]),
  ]
)

// Test targets link to lib_Testing_Foundation, which Debian's Swift 6.2.3 lacks. Tests/Linking contains an empty
// substitute. SQLite finds the functions of FileCalls.swift only if the test program exports them.
let observed = ["fsync", "fdatasync", "ftruncate64", "pwrite64", "unlink"].flatMap {
  ["-Xlinker", "--export-dynamic-symbol=\($0)"]
}
for target in package.targets where target.type == .test {
  target.linkerSettings = [.unsafeFlags(["-L\(Context.packageDirectory)/Tests/Linking"] + observed)]
}

// libFuzzer provides the entry point, so this program links only when meson-helpers/fuzz builds it.
if Context.environment["COPYPASTA_FUZZER"] != nil {
  package.targets.append(
    .executableTarget(name: "TextFuzzer", dependencies: ["TextPipeline"], path: "Tests/TextFuzzer"))
}

// Set this here instead of on the command line, so that `swift build` and `meson-helpers/test` use the same flags and
// reuse each other's work. A release build must not fail because a newer compiler has new warnings.
for target in package.targets where target.type != .system {
  let asErrors = SwiftSetting.treatAllWarnings(as: .error, .when(configuration: .debug))
  target.swiftSettings = (target.swiftSettings ?? []) + [asErrors]
}

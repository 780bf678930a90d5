// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Each target depends only on targets above it; Tests/layering.sh holds the sources against this order.
let package = Package(
    name: "QuickVault",
    products: [.executable(name: "qvault", targets: ["qvault"])],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(name: "CSystem"),
        .target(name: "VaultCrypto", dependencies: ["COpenSSL", "CUTF8Proc", "CSystem"], swiftSettings: strict),
        .target(name: "VaultFormat", dependencies: ["VaultCrypto"], swiftSettings: strict),
        .target(name: "VaultStore", dependencies: ["VaultFormat", "VaultCrypto", "CSystem"], swiftSettings: strict),
        .executableTarget(
            name: "qvault", dependencies: ["VaultStore", "VaultFormat", "VaultCrypto", "CSystem", "CUTF8Proc"],
            swiftSettings: strict),
        .executableTarget(name: "vault-bench", dependencies: ["VaultFormat", "VaultCrypto"], swiftSettings: strict),
        .testTarget(name: "VaultCryptoTests", dependencies: ["VaultCrypto"], swiftSettings: strict),
        .testTarget(name: "VaultFormatTests", dependencies: ["VaultFormat", "VaultCrypto"], swiftSettings: strict),
        .testTarget(
            name: "VaultStoreTests", dependencies: ["VaultStore", "VaultFormat", "VaultCrypto"], swiftSettings: strict),
        .testTarget(name: "CommandTests", dependencies: ["qvault"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

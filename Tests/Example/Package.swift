// swift-tools-version: 6.2
import PackageDescription

// A small app on QuickVault. In an app of your own, the package comes from its repository.
let package = Package(
    name: "cardbox",
    dependencies: [.package(name: "QuickVault", path: "../..")],
    targets: [
        .executableTarget(name: "cardbox", dependencies: [.product(name: "QuickVault", package: "QuickVault")])
    ],
    swiftLanguageModes: [.v6]
)

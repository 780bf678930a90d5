// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let strictC: [CSetting] = [
    .treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra"), .enableWarning("conversion"),
    .enableWarning("shadow"),
    // Constants are enumerators, in floating point too.
    .disableWarning("enum-float-conversion"),
    // The macros of libseccomp leave the second value of a comparison out.
    .disableWarning("missing-field-initializers"),
]

// Each target depends only on targets above it. Tests/Checks/layering.py holds the imports of the sources against these lists.
let package = Package(
    name: "QuickVault",
    products: [
        .library(name: "QuickVault", targets: ["QuickVault"]), .executable(name: "qvault", targets: ["qvault"]),
        .executable(name: "qvault-decode", targets: ["qvault-decode"]),
        .executable(name: "qvault-window", targets: ["qvault-window"]),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CZxcvbn", providers: [.apt(["libzxcvbn-dev"])]),
        .systemLibrary(name: "CQRencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CISAL", pkgConfig: "libisal", providers: [.apt(["libisal-dev"])]),
        .systemLibrary(name: "CGMP", providers: [.apt(["libgmp-dev"])]),
        .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .target(name: "CSystem", dependencies: ["CSeccomp"], cSettings: strictC),
        .systemLibrary(name: "CFreeType", pkgConfig: "freetype2", providers: [.apt(["libfreetype-dev"])]),
        .systemLibrary(name: "CHarfBuzz", pkgConfig: "harfbuzz", providers: [.apt(["libharfbuzz-dev"])]),
        .systemLibrary(name: "CFriBidi", pkgConfig: "fribidi", providers: [.apt(["libfribidi-dev"])]),
        .systemLibrary(name: "CFontconfig", pkgConfig: "fontconfig", providers: [.apt(["libfontconfig-dev"])]),
        .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        .target(
            name: "CImage",
            dependencies: ["CPNG", "CJPEG", "CLCMS", "CFreeType", "CHarfBuzz", "CFriBidi", "CFontconfig"],
            cSettings: strictC),
        .target(name: "CTrace", cSettings: strictC),
        .systemLibrary(name: "CEdit", providers: [.apt(["libedit-dev"])]),
        .target(name: "CLine", dependencies: ["CEdit"], cSettings: strictC),
        .target(name: "CWords", exclude: ["zh.po", "pinyin.txt", "reader.html"], cSettings: strictC),
        .systemLibrary(name: "CHEIF", pkgConfig: "libheif", providers: [.apt(["libheif-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CTIFF", pkgConfig: "libtiff-4", providers: [.apt(["libtiff-dev"])]),
        .systemLibrary(name: "CZXing", pkgConfig: "zxing", providers: [.apt(["libzxing-dev"])]),
        .systemLibrary(name: "CQPDF", pkgConfig: "libqpdf", providers: [.apt(["libqpdf-dev"])]),
        // A program of its own, so that what it reads does no harm.
        .executableTarget(
            name: "qvault-decode",
            dependencies: ["CSystem", "CImage", "CHEIF", "CWebP", "CTIFF", "CQPDF", "CZXing"],
            cSettings: strictC,
            linkerSettings: [.linkedLibrary("m")]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .target(name: "CWindow", dependencies: ["CMicroHTTPD"], exclude: ["window.html"], cSettings: strictC),
        .target(
            name: "VaultCrypto", dependencies: ["COpenSSL", "CArgon2", "CUTF8Proc", "CZxcvbn", "CSystem"],
            swiftSettings: strict),
        .target(name: "Values", dependencies: ["CGMP", "CJansson", "CExpat"], swiftSettings: strict),
        .target(name: "VaultFormat", dependencies: ["Values", "VaultCrypto", "CZstd", "CISAL"], swiftSettings: strict),
        .target(
            name: "VaultIO", dependencies: ["Values", "VaultFormat", "VaultCrypto", "CSystem"], swiftSettings: strict),
        .target(
            name: "VaultStore", dependencies: ["VaultIO", "Values", "VaultFormat", "VaultCrypto"], swiftSettings: strict
        ),
        .target(
            name: "Watermark",
            dependencies: ["VaultFormat", "VaultCrypto", "CImage", "CTrace", "CQRencode", "CPNG", "CZlib"],
            swiftSettings: strict),
        .target(
            name: "Cards",
            dependencies: ["VaultStore", "VaultIO", "VaultFormat", "VaultCrypto", "Values", "CUTF8Proc", "CWords"],
            swiftSettings: strict),
        .target(
            name: "Pictures",
            dependencies: [
                "Cards", "Watermark", "VaultStore", "VaultIO", "VaultFormat", "VaultCrypto", "Values", "CImage",
                "CTrace", "CSystem", "CZlib",
            ],
            swiftSettings: strict),
        .target(
            name: "Exchange",
            dependencies: [
                "Pictures", "Cards", "Watermark", "VaultStore", "VaultFormat", "VaultCrypto", "Values", "CZip", "CZlib",
            ],
            swiftSettings: strict),
        .target(
            name: "Portfolio",
            dependencies: ["Cards", "VaultStore", "VaultIO", "VaultFormat", "VaultCrypto", "Values"],
            swiftSettings: strict),
        .target(
            name: "QuickVault",
            dependencies: [
                "Portfolio", "Exchange", "Pictures", "Cards", "VaultStore", "VaultIO", "VaultFormat", "VaultCrypto",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "qvault",
            dependencies: [
                "Portfolio", "Exchange", "Pictures", "Cards", "Watermark", "VaultStore", "VaultIO", "VaultFormat",
                "VaultCrypto", "Values",
                "CSystem", "CLine",
                "CUTF8Proc", "CWords",
            ],
            resources: [
                "start", "window", "cards", "finding", "pictures", "funds", "household", "apps", "backups", "keys",
                "copies",
                "security",
                "glossary",
            ]
            .flatMap {
                [.embedInCode("Guide/\($0).md"), .embedInCode("Guide/\($0).zh.md")]
            } + [.embedInCode("Completion/qvault.bash"), .embedInCode("Completion/qvault.zsh")],
            swiftSettings: strict),
        // A program of its own, so that the command links no server.
        .executableTarget(
            name: "qvault-window", dependencies: ["VaultCrypto", "Values", "CSystem", "CWindow"], swiftSettings: strict),
        .executableTarget(
            name: "vault-bench",
            dependencies: [
                "Portfolio", "Pictures", "Cards", "Watermark", "VaultStore", "VaultIO", "VaultFormat", "VaultCrypto",
            ],
            path: "Tests/Bench", exclude: ["keys.py", "reader_page.py", "window.py"], swiftSettings: strict),
        .target(
            name: "VaultTesting", dependencies: ["VaultStore", "VaultIO", "VaultFormat", "VaultCrypto", "Values"],
            path: "Tests/VaultTesting", swiftSettings: strict),
        .executableTarget(
            name: "vault-soak", dependencies: ["VaultTesting", "VaultStore", "VaultIO", "VaultFormat", "VaultCrypto"],
            path: "Tests/Soak", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "VaultTesting", "Exchange", "Pictures", "Cards", "Values", "VaultStore", "VaultIO", "VaultFormat",
                "VaultCrypto", "CImage",
            ],
            path: "fuzz/Targets"),
        .testTarget(name: "ValuesTests", dependencies: ["Values"], swiftSettings: strict),
        .testTarget(name: "VaultCryptoTests", dependencies: ["VaultCrypto"], swiftSettings: strict),
        .testTarget(
            name: "VaultFormatTests", dependencies: ["VaultTesting", "VaultFormat", "VaultCrypto"],
            swiftSettings: strict),
        .testTarget(
            name: "VaultStoreTests",
            dependencies: ["VaultTesting", "VaultStore", "VaultIO", "VaultFormat", "VaultCrypto"],
            swiftSettings: strict),
        .testTarget(
            name: "RecordTests",
            dependencies: [
                "FuzzTargets", "Exchange", "Pictures", "Cards", "Watermark", "VaultTesting", "VaultStore",
                "VaultFormat",
                "VaultCrypto",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PortfolioTests",
            dependencies: ["Portfolio", "Cards", "VaultTesting", "VaultStore", "VaultFormat", "VaultCrypto"],
            swiftSettings: strict),
        .testTarget(
            name: "WatermarkTests", dependencies: ["Watermark", "Pictures", "VaultFormat", "VaultCrypto"],
            swiftSettings: strict),
        // The app of the tutorial, which is a package of its own too.
        .executableTarget(
            name: "cardbox", dependencies: ["QuickVault"], path: "Tests/Example/Sources/cardbox", swiftSettings: strict),
        .target(name: "AppNames", path: "Tests/AppNames", swiftSettings: strict),
        .testTarget(
            name: "QuickVaultTests", dependencies: ["QuickVault", "VaultCrypto", "AppNames", "cardbox"],
            swiftSettings: strict),
        .testTarget(
            name: "CommandTests",
            dependencies: ["qvault", "qvault-decode", "qvault-window", "Portfolio", "Pictures", "Cards", "CSystem"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// `make qvault-verify`: some sources of qvault, as a program of their own that is linked statically. Debian has
// no static ISA-L.
if Context.environment["QUICKVAULT_VERIFY"] != nil {
    let files = [
        "CommandLine": [
            "Ambiguity", "Command", "CompressionWord", "Config", "ConfigKey", "ExitCode", "Failure",
            "FingerprintArgument", "JSONPath", "Nearest",
            "Option", "ParityArgument", "Placeholder", "Session", "TimeArgument", "TimeOptions", "Verb",
            "VerbIndex", "WithVault",
        ],
        "Keys": [
            "AuditKeys", "DerivationOptions", "Keyring", "OpenedVaults", "Passwords", "SecretInput", "SlotNames",
            "StrengthText", "UnlockThrottle", "Unlocking",
        ],
        "Language": ["Chinese", "Language"],
        "State": [
            "EventLog", "Machine", "MachineMemory", "ProcessEnvironment", "Saving", "StateNumbers", "Upkeep",
            "VaultFiles",
        ],
        "Terminal": [
            "Descriptor", "Messages", "Progress", "ShellWord", "SizeText", "StandardInput", "StandardOutput",
            "StreamedFile", "Table",
            "Terminal", "TimeText", "Wrapping",
        ],
        "Verbs/Copies": ["ServeVerb"], "Verbs/Keys": ["IdentityVerb"],
        "Verbs/Maintenance": ["ParityVerb", "RepairVerb"],
        "Verbs/Verification": [
            "FileCheck", "Fleet", "FleetExpectation", "FleetMemory", "FleetReport", "MonitorText", "VerifyOutcome",
            "VerifyVerb",
        ],
    ].flatMap { folder, names in names.map { "qvault/\(folder)/\($0).swift" } }
    package.targets.removeAll { $0.type == .executable || $0.type == .test || $0.name == "CISAL" }
    package.targets += [
        .target(name: "CISAL", path: "Sources/CISALPortable", cSettings: strictC),
        .executableTarget(
            name: "qvault-verify",
            dependencies: [
                "Portfolio", "Cards", "VaultStore", "VaultIO", "VaultFormat", "VaultCrypto", "Values", "CSystem",
                "CUTF8Proc", "CWords",
            ],
            path: "Sources", sources: files + ["qvault-verify/main.swift", "qvault-verify/VerifyProduct.swift"],
            swiftSettings: strict),
    ]
    package.products = [.executable(name: "qvault-verify", targets: ["qvault-verify"])]
}

// `make fuzz`: everything instrumented, and the fuzzer beside it.
if let instruments = Context.environment["QUICKVAULT_FUZZ"] {
    let flags = instruments.split(separator: " ").map(String.init)
    for target in package.targets where target.type == .regular || target.type == .executable {
        // C of ours: the rest of the targets is Swift. The runtime of AddressSanitizer has that of UBSan in it.
        if target.cSettings != nil, instruments.contains("address") {
            let sanitizers = [
                "-fsanitize=address,undefined,float-cast-overflow,fuzzer-no-link", "-fno-sanitize-recover=all", "-g",
            ]
            target.cSettings = strictC + [.unsafeFlags(sanitizers)]
        }
        if target.name.hasPrefix("C") { continue }
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
    }
    package.targets += [
        .target(name: "CFuzzer", path: "fuzz/CFuzzer"),
        .executableTarget(
            name: "vault-fuzz",
            dependencies: ["CFuzzer", "FuzzTargets"], path: "fuzz/VaultFuzz", swiftSettings: [.unsafeFlags(flags)],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"] + flags)]),
    ]
}

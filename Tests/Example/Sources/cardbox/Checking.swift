import QuickVault

/// Checks every byte, with progress, and says what is wrong.
func check(_ vault: VaultFile) async throws {
    let work = vault.verification()
    for await bytes in work.progress { print("\(bytes >> 20) MiB") }
    let report = try await work.value
    for finding in report.findings { print(finding) }
    print(report.worst == nil ? "sound" : "not sound")
}

/// Lists the cards again after every save, of this program or another one.
func watch(_ vault: VaultFile) async throws {
    for try await save in vault.changes() {
        print("save \(save)")
        try await list(vault)
    }
}

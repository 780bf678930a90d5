import VaultFormat

extension VerbIndex {
    /// The verbs by what people do, in the order of the help. Some tell of all verbs.
    static let qvault: VerbIndex = VerbIndex([
        "Cards": [
            .cardAdd, .cardShow, .cardEdit, .cardRemove, .cardList, .cardKinds, .search, .copy, .oneTimePassword, .due,
            .dueSnooze, .dueDone, .pin, .tag, .group, .groupRename, .groupRemove,
        ],
        "Finding": [.find, .querySave, .queryList, .queryEdit, .queryRemove, .queryHistory],
        "Pictures and PDFs of cards": [
            .attachAdd, .attachList, .attachShow, .attachStraighten, .attachRecognize, .attachText, .attachRemove,
            .watermarkSet, .watermarkShow, .watermarkEdit,
            .watermarkRemove, .watermarkFile, .watermarkTry, .watermarkTemplates, .share, .shares, .sharesRevoke,
            .trace,
            .verifyCopy,
        ],
        "Funds": [
            .fund, .fundShow, .fundChart, .fundAdd, .fundEdit, .fundRemove, .fundMove, .fundSearch, .fundUpdate,
            .fundWatch, .fundImport, .fundExport, .fundDirectory, .fundCalendar, .fundFeeds, .fundAccuracy, .fundFit,
            .fundClean,
        ],
        "Assets": [
            .dashboard, .month, .assetAdd, .assetList, .assetShow, .assetEdit, .assetRemove, .assetUpdate,
            .assetSummary,
            .assetAllocation, .assetTrend, .snapshot, .snapshotList, .snapshotRemove, .holdingAdd, .holdingList,
            .holdingUpdate, .holdingLog, .holdingRemove, .policyAdd, .policyList, .policyShow, .policyEdit,
            .policyRemove, .policyRenew, .position, .positionSet, .positionStrategy, .positionLog, .check, .report,
            .diagnosisImport, .diagnosisShow, .api,
        ],
        "Apps": [.appList, .appPresets, .appShow, .appAdd, .appEdit, .appRemove, .appImport, .appText],
        "Files": [.put, .get, .cat, .list, .move, .remove, .undelete, .undo, .purge, .history, .pack, .unpack],
        "Vaults": [
            .create, .open.unlogged, .unlock, .lock, .status, .info, .diff, .merge, .resolve, .compact, .destroy,
        ],
        "Backups and damage": [
            .backup, .restore, .reader.unlogged, .push, .pull, .serve, .verify, .repair, .parityAdd, .parityRemove,
            .salvage,
        ],
        "Passwords and keys": [
            .keyList, .keyAdd, .keyRemove, .keyRecovery, .keyAudit, .keyIdentity, .keyGenerate, .rekeyPassword,
            .rekeyIterations, .rekeyRotate,
        ],
        "Other programs": [.importing, .export],
        "Settings": [
            .settings, .settingsSet, .settingsRemove, .configGet, .configSet, .configUnset, .configList, .configPut,
        ],
        "The program itself": [
            .forget.unlogged, .log.unlogged, .completion { .qvault }.unlogged, .manual { .qvault }.unlogged,
        ],
    ])
}

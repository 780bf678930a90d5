// Which key comes from which (keys.md, 1 and 3).

import { concat, encodeText } from './bytes.js';
import { hkdf, importGcmKey } from './crypto.js';

const NONE = new Uint8Array(0);

export function labelledHkdf(ikm, salt, purpose, vaultId, context, length) {
  const info = concat(encodeText(`quickvault/1/${purpose}\0`), vaultId, context);
  return hkdf(ikm, salt, info, length);
}

function derive(ikm, salt, purpose, vaultId) {
  return labelledHkdf(ikm, salt, purpose, vaultId, NONE, 32);
}

export function deriveAuditTagKey(auditRoot, vaultId) {
  return derive(auditRoot, NONE, 'audit-tag', vaultId);
}

// All that hangs from one master key of one vault (keys.md, 3).
export class Keys {
  static async fromMaster(master, vaultId) {
    const keys = new Keys();
    keys.master = master;
    const fromMaster = (purpose) => derive(master, NONE, purpose, vaultId);
    keys.vaultId = vaultId;
    keys.recordRoot = await fromMaster('record-root');
    keys.manifestRoot = await fromMaster('manifest-root');
    keys.ownerTagKey = await fromMaster('owner-tag');
    keys.auditTagKey = await deriveAuditTagKey(await fromMaster('audit-root'), vaultId);
    keys.slotLabelKey = await importGcmKey(await fromMaster('slot-label'));
    keys.headerKey = await importGcmKey(await derive(keys.recordRoot, NONE, 'header', vaultId));
    return keys;
  }

  async segmentKey(commitSalt) {
    return importGcmKey(await derive(this.manifestRoot, commitSalt, 'segment', this.vaultId));
  }

  async privateKey(commitSalt) {
    return importGcmKey(await derive(this.manifestRoot, commitSalt, 'private', this.vaultId));
  }

  restKey(commitSalt) {
    return derive(this.manifestRoot, commitSalt, 'rest', this.vaultId);
  }

  async recordKey(recordSalt) {
    return importGcmKey(await derive(this.recordRoot, recordSalt, 'record', this.vaultId));
  }
}

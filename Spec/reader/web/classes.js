// The classes of outcome (reader.md, 1), and the findings of a check.

// From the worst down (reader.md, 1).
const SEVERITY = [
  'tampered', 'damaged', 'malformed', 'unsupported', 'repairable', 'not-a-vault', 'wrong-key',
  'invalid', 'refused', 'ok',
];

export const EXIT_CODES = {
  'ok': 0, 'wrong-key': 3, 'repairable': 4, 'damaged': 5, 'malformed': 5, 'tampered': 6,
  'not-a-vault': 8, 'unsupported': 8, 'invalid': 11, 'refused': 12,
};

// An outcome other than `ok`. Everything else that is thrown is a bug or an I/O error.
export class Failure extends Error {
  constructor(verdict, message) {
    super(message);
    this.verdict = verdict;
  }
}

export function fail(verdict, message) {
  throw new Failure(verdict, message);
}

export function ensure(condition, verdict, message) {
  if (!condition) fail(verdict, message);
}

// The class of a promise's outcome; what is no Failure is thrown on.
export async function verdictOf(promise) {
  try {
    await promise;
    return 'ok';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.verdict;
  }
}

// Did the check succeed? For rules that choose between pages rather than refuse the file.
export async function holds(check) {
  return await verdictOf(check()) === 'ok';
}

export function worse(a, b) {
  return SEVERITY.indexOf(a) < SEVERITY.indexOf(b) ? a : b;
}

// All that a check finds; the worst class is its answer (reader.md, 1).
export class Report {
  constructor() {
    this.findings = [];
    this.notes = [];
  }

  // `place` is [offset, length] in the file, where that is known.
  add(verdict, message, place) {
    this.findings.push({ verdict, message, place });
  }

  note(message) {
    this.notes.push(message);
  }

  // Runs one check to its end; a Failure becomes a finding and `undefined`.
  async attempt(check) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.add(error.verdict, error.message);
      return undefined;
    }
  }

  get verdict() {
    return this.findings.reduce((worst, finding) => worse(worst, finding.verdict), 'ok');
  }
}

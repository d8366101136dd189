/** Which commands change anything: these need an operator, and are recorded. */

/** What only looks, beside whatever is named `show` or `list`, or is given `--dry-run`. */
const looking = new Set([
  'verify',
  'doctor',
  'audit',
  'approvals',
  'ledger head',
  'restore status',
  'ledger check',
  'statement',
  'callbacks',
  'migrate status',
  'deploy status',
  'deploy drain',
]);

export interface Invocation {
  /** Such as `float withdraw`. */
  path: string;
  /** Its first argument, or nothing: what it is about. */
  first: string;
  /** Arguments and options as they were given, by their names. */
  given: Record<string, unknown>;
}

export function changesSomething({ path, given }: Pick<Invocation, 'path' | 'given'>): boolean {
  return !looking.has(path) && !/(?:^| )(?:show|list)$/.test(path) && given['dryRun'] !== true;
}

/**
 * What writes its line of the audit log in the transaction of what it changes. Whatever is not listed here writes it
 * before it begins: nothing is changed that no line tells of.
 */
const recordsWithin = new Set([
  ...['merchant create', 'merchant set', 'merchant rotate-key', 'merchant rotate-webhook-secret'],
  'merchant revoke-key',
  ...['float add', 'float withdraw', 'wallet adjust', 'wallet transfer'],
  ...['float-proof baseline', 'float-proof moved'],
  ...[
    'case resolve',
    'duplicate refund',
    'duplicate dismiss',
    'webhook replay',
    'stop payouts',
    'start payouts',
    'restore begin',
    'restore end',
    'release',
    'limit set',
    'limit remove',
    'fee set',
    'fee remove',
  ],
  ...['orphan claim', 'orphan returned', 'provider-statement withdraw'],
  'migrate up',
  'control accept',
  ...['operator create', 'operator revoke', 'operator rotate'],
  ...['user create', 'user end', 'user reset-second-factor', 'user sign-out'],
  ...['approve', 'reject', 'approval-rule set'],
]);

/** What writes its own line, and may so wait for a second operator. */
export const recordingCommands: readonly string[] = [...recordsWithin];

export function recordsItself(path: string): boolean {
  return recordsWithin.has(path);
}

/** What keeps a name with what it changes: until there is an operator, that which was typed. */
const keeping = new Set(['case resolve', 'stop payouts', 'start payouts', 'release']);

export function keepsName(path: string): boolean {
  return keeping.has(path);
}

/** What is asked for is read by a person before it is approved: each command that can need a second operator has a sentence. */
import { approvalSentences, approvalTexts } from '../../../src/cli/approval-sentences';
import { recordingCommands } from '../../../src/cli/changes';
import { understand } from '../../../src/cli/run-cli';
import { createMerchant } from '../../../src/merchants/merchants';
import { insertPayment } from '../../support/store/rows';
import { box } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchant: string;
let paymentId: string;
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, {
    name: 'Duka la Amina',
    environment: 'sandbox',
  }));
  paymentId = await insertPayment(cli.db, { merchant_id: merchant });
});
afterAll(() => cli.drop());

/** What decides about another's wish, and what is done before anybody could approve anything. */
const neverAskedFor = ['approve', 'reject', 'migrate up'];

const reason = ['--reason', 'bank slip 12'];
const kes = ['--currency', 'KES'];
const amount = [...kes, '--amount', '1234.50', ...reason];
const float = ['--rail', 'momo', '--country', 'KEN', ...amount];

/** A command for each sentence, and what must be in it. */
const samples = (): Record<string, [argv: string[], says: string[]]> => ({
  'float add': [
    ['float', 'add', merchant, ...float],
    ['KES 1,234.50', 'Duka la Amina', 'momo · KEN'],
  ],
  'float withdraw': [
    ['float', 'withdraw', merchant, ...float],
    ['take KES 1,234.50', 'Duka la Amina'],
  ],
  'wallet adjust': [
    ['wallet', 'adjust', merchant, ...amount],
    ['add KES 1,234.50', 'Duka la Amina', 'bank'],
  ],
  'wallet adjust, less': [
    ['wallet', 'adjust', merchant, ...kes, '--amount=-1234.50', ...reason],
    ['take', '1,234.50', 'Duka la Amina'],
  ],
  'wallet transfer': [
    ['wallet', 'transfer', merchant, ...amount, '--to-rail', 'walletpay'],
    ['KES 1,234.50', 'Duka la Amina', 'walletpay'],
  ],
  'float-proof baseline': [
    ['float-proof', 'baseline', 'pawapay', ...kes, ...reason],
    ['pawapay', 'KES'],
  ],
  'float-proof moved': [
    ['float-proof', 'moved', 'pawapay', ...amount],
    ['pawapay', 'KES 1,234.50'],
  ],
  'merchant create': [
    ['merchant', 'create', '--name', 'Soko'],
    ['Soko', 'API keys'],
  ],
  'merchant set': [['merchant', 'set', merchant, '--permission', 'can_payout'], ['Duka la Amina']],
  'merchant rotate-key': [
    ['merchant', 'rotate-key', merchant],
    ['new API key', 'Duka la Amina'],
  ],
  'merchant revoke-key': [
    ['merchant', 'revoke-key', merchant, 'pk_test_1'],
    ['pk_test_1', 'Duka la Amina'],
  ],
  'merchant rotate-webhook-secret': [['merchant', 'rotate-webhook-secret', merchant], ['Duka la Amina']],
  'operator create': [
    ['operator', 'create', 'zoe', '--role', 'approver'],
    ['zoe', 'approver'],
  ],
  'operator revoke': [['operator', 'revoke', 'zoe'], ['zoe']],
  'operator rotate': [['operator', 'rotate', 'zoe'], ['zoe']],
  'control accept': [
    ['control', 'accept', '--list', '3:0a1b', ...reason],
    ['3:0a1b', 'malipo control list'],
  ],
  'user create': [
    ['user', 'create', 'a@shop.example', '--merchant', merchant],
    ['a@shop.example', 'as owner of Duka la Amina'],
  ],
  'user end': [['user', 'end', 'a@shop.example'], ['a@shop.example']],
  'user reset-second-factor': [['user', 'reset-second-factor', 'a@shop.example'], ['a@shop.example']],
  'user sign-out': [['user', 'sign-out', 'a@shop.example'], ['a@shop.example']],
  'limit set': [
    ['limit', 'set', 'per_day', '--merchant', merchant, ...amount],
    ['Duka la Amina', 'per_day', 'KES'],
  ],
  'limit remove': [
    ['limit', 'remove', '01890a5d', ...reason],
    ['all merchants', '01890a5d'],
  ],
  'fee set': [
    ['fee', 'set', 'payout', ...kes, '--fixed', '5.00', ...reason],
    ['all merchants', 'payout'],
  ],
  'fee remove': [['fee', 'remove', '01890a5d', ...reason], ['01890a5d']],
  'restore begin': [['restore', 'begin', '--to', '2026-01-01T00:00:00Z', ...reason], ['2026-01-01']],
  'restore end': [['restore', 'end', '--note', 'all read'], ['on hold goes out']],
  'orphan claim': [
    ['orphan', 'claim', '7', '--merchant', merchant, ...reason],
    ['the wallet of Duka la Amina'],
  ],
  'orphan returned': [['orphan', 'returned', '7', '--reference', 'R1', ...reason], ['went back']],
  'provider-statement withdraw': [['provider-statement', 'withdraw', '7', ...reason], ['statement 7']],
  'case resolve': [['case', 'resolve', '7', '--note', 'seen', '--outcome', 'failed'], ['case 7 (failed)']],
  'duplicate refund': [
    ['duplicate', 'refund', paymentId, ...reason],
    ['Duka la Amina', 'refund'],
  ],
  'duplicate dismiss': [['duplicate', 'dismiss', paymentId, ...reason], ['Duka la Amina']],
  'webhook replay': [['webhook', 'replay', paymentId], ['webhook']],
  'stop payouts': [['stop', 'payouts', '--merchant', merchant, ...reason], ['Duka la Amina']],
  'start payouts': [['start', 'payouts'], ['all merchants']],
  release: [['release', paymentId, '--note', 'known'], ['Duka la Amina']],
  'approval-rule set': [['approval-rule', 'set', 'money', '--never'], ['money']],
});

describe('what a second operator reads', () => {
  it('is a sentence for every command that can need one', () => {
    expect(recordingCommands.filter((path) => !Object.hasOwn(approvalSentences, path)).sort()).toEqual(
      [...neverAskedFor].sort(),
    );
  });

  it('says who, what, whose and how much, in each language', async () => {
    const all = samples();
    expect(Object.keys(all).sort()).toEqual(Object.keys(approvalSentences).sort());
    for (const [path, [argv, says]] of Object.entries(all)) {
      const invocation = await understand(argv);
      expect([path.split(',')[0], invocation?.path]).toEqual([path.split(',')[0], path.split(',')[0]]);
      const asked = { argv, asked_by: 'amina', currency: null, amount_minor: null };
      const { en, sw } = await approvalTexts(cli.db, asked, invocation);
      for (const { sentence } of [en, sw]) expect(sentence).toMatch(/^amina [^{}]*[.?]$/);
      for (const word of says) expect(en.sentence).toContain(word);
      expect(sw.sentence).not.toBe(en.sentence);
    }
  });

  it('shows the command itself where it has none, and hides nothing that was typed', async () => {
    const argv = ['teleport', 'money', '--note', 'a\u202Eb'];
    const asked = { argv, asked_by: 'amina', currency: null, amount_minor: null };
    const { en } = await approvalTexts(cli.db, asked, await understand(argv));
    expect(en.sentence).toContain('malipo teleport money');
    expect(en.sentence).not.toContain('\u202E');
  });
});

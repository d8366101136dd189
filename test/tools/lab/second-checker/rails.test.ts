/**
 * A clean run over the rails, checked by the second checker: a dump of the database, the providers' books, the
 * webhooks.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBackupTools } from '../../../../tools/sandbox/services/find-backup-tools';
import { runCommand } from '../../../../tools/sandbox/services/run-command';
import { operations } from '../../../../tools/lab/crash/operations';
import { trialName, type TestRig } from '../../../../tools/lab/crash/support/test-rig';
import { nothingIsOpen } from '../../../faults/support/ending-well';
import { outfit } from '../../../support/creation-requests';
import { expectClean } from '../../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import {
  describeWithPython,
  exportTables,
  secondChecker,
} from '../../../../tools/lab/second-checker/export-tables';

const tools = findBackupTools();

const reported = [
  ...[
    'stk/push',
    'stk/push-fails',
    'xb/push',
    'xb/push-fails',
    'momo/deposit',
    'momo/payout',
    'momo/payout-fails',
  ],
  ...[
    'momo/refund',
    'momo/bulk',
    'walletpay/order',
    'walletpay/refund',
    'walletpay/payout',
    'walletpay/payout-fails',
  ],
  ...['walletpay/bulk', 'cardproc/hosted-order', 'cardproc/card-order', 'voucher/create', 'voucher/redeem'],
];

describeWithPython('the second checker, of a run over the rails', () => {
  let database: TestDatabase;
  let stack: Stack;
  let merchant: TestMerchant;
  let folder: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    stack = await startStack({ database, timeScale: 20 });
    merchant = await outfit(stack, await stack.createMerchant());
    folder = await mkdtemp(join(tmpdir(), 'malipo-second-'));
    const bulkhead = { stack, merchant } as TestRig;
    for (const operation of operations.filter(({ name }) => reported.includes(name))) {
      const history = await operation.begin(bulkhead, trialName());
      const id = await history.ask();
      if (id === undefined) throw new Error(`${operation.name} was not accepted`);
      await history.acts?.(id);
    }
    await nothingIsOpen(stack.db);
  });
  afterAll(async () => {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const dumped = async (): Promise<string> => {
    const file = join(folder, 'dump');
    if (!tools) await exportTables(stack.db, file);
    else {
      const { hostname, port, username, password, pathname } = new URL(database.adminUrl);
      const login = [`--host=${hostname}`, `--port=${port}`, '--protocol=tcp', `--user=${username}`];
      const how = ['--no-defaults', ...login, '--single-transaction', '--complete-insert', '--hex-blob'];
      const args = [
        ...how,
        '--no-create-info',
        '--skip-triggers',
        `--result-file=${file}`,
        pathname.slice(1),
      ];
      await runCommand(tools.dump, args, {
        env: { ...process.env, MYSQL_PWD: decodeURIComponent(password) },
      });
    }
    return file;
  };

  async function readBooks(): Promise<Books> {
    const answer = await fetch(`${stack.simulatorUrl}/control/books?detail=1`);
    return (await answer.json()) as Books;
  }

  function readReceived(): Received[] {
    return merchant.receiver.received.map(({ headers, rawBody }) => ({
      ...{ id: headers['webhook-id'] ?? '', body: rawBody },
    }));
  }

  async function argsOf(received: readonly Received[], books: Books): Promise<string[]> {
    const [booksFile, webhooks] = [join(folder, 'books'), join(folder, 'webhooks')];
    await writeFile(booksFile, JSON.stringify(books));
    await writeFile(webhooks, received.map((one) => JSON.stringify(one)).join('\n'));
    return ['--books', booksFile, '--webhooks', webhooks];
  }

  it('finds nothing, like malipo verify', async () => {
    await expectClean(stack);
    const received = readReceived();
    expect(received.length).toBeGreaterThan(reported.length / 2);
    const clean = await secondChecker(await dumped(), ...(await argsOf(received, await readBooks())));
    expect(clean).toEqual({ isClean: true, lines: ['0 violations'] });
  });

  /** Its output for one wrong value in the others' records. */
  async function statusOf(received: readonly Received[], books: Books): Promise<string[]> {
    const { isClean, lines } = await secondChecker(await dumped(), ...(await argsOf(received, books)));
    expect(isClean).toBe(false);
    expect(lines.at(-1)).toBe('1 violations');
    return lines.slice(0, -1);
  }

  it.each<[string, (one: Booked) => Booked[], (one: Booked) => RegExp]>([
    ['has missed', () => [], () => /^payment \S+ is succeeded, and its provider knows of no success$/],
    [
      'has booked twice',
      (one) => [one, one],
      ({ reference }) => new RegExp(`^stk: the provider has booked collection ${reference} 2 times$`),
    ],
    [
      'has beside what we know',
      (one) => [one, { ...one, reference: 'ws_CO_unheard', phone: '254700000999' }],
      () => /^stk: the provider has booked collection ws_CO_unheard, which we do not know$/,
    ],
    [
      'has with another amount',
      (one) => [{ ...one, amount: String(Number(one.amount) + 1) }],
      () => /^payment \S+ is \d+ minor units of KES, and stk has booked \S+ KES$/,
    ],
    [
      'has in another currency',
      (one) => [{ ...one, currency: 'USD' }],
      () => /^payment \S+ is \d+ minor units of KES, and stk has booked \S+ USD$/,
    ],
  ])('finds a success that the provider %s', async (_what, plant, expected) => {
    const books = await readBooks();
    const [first, ...others] = books['stk'] ?? [];
    if (!first) throw new Error('the provider has booked nothing');
    const verdict = await statusOf(readReceived(), { ...books, stk: [...plant(first), ...others] });
    expect(verdict).toEqual([expect.stringMatching(expected(first))]);
  });

  it.each<[string, (one: Received) => Received[], (one: Received) => string]>([
    ['nobody received', () => [], ({ id }) => `webhook ${id} counts as delivered, and nobody received it`],
    [
      'came with another body once more',
      (one) => [one, { ...one, body: one.body.replace(/\}$/, ',"more":1}') }],
      ({ id }) => `webhook ${id} came with another body than it has`,
    ],
    [
      'was never sent',
      (one) => [one, { ...one, id: 'not-of-ours' }],
      () => 'webhook not-of-ours was received, and is not ours',
    ],
  ])('finds a webhook that %s', async (_what, plant, expected) => {
    const received = readReceived();
    const first = received[0];
    if (!first) throw new Error('no webhook was received');
    const others = received.filter(({ id }) => id !== first.id);
    const verdict = await statusOf([...plant(first), ...others], await readBooks());
    expect(verdict).toEqual([expected(first)]);
  });
});

interface Booked {
  reference: string;
  amount: string;
  currency: string;
  phone?: string;
}

/** By rail, as the simulated providers have them. */
type Books = Record<string, Booked[]>;

interface Received {
  id: string;
  body: string;
}

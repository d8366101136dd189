/** A clean run over the rails, in the eyes of the second checker: a dump of the database, the providers' books, the webhooks. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBackupTools } from '../../../../tools/sandbox/services/find-backup-tools';
import { runCommand } from '../../../../tools/sandbox/services/run-command';
import { operations } from '../../../../tools/lab/crash/operations';
import { trialName, type Lane } from '../../../../tools/lab/crash/support/lane';
import { nothingIsOpen } from '../../../faults/support/ending-well';
import { outfit } from '../../../support/acceptances';
import { expectClean } from '../../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import {
  describeWithPython,
  exportTables,
  secondChecker,
} from '../../../../tools/lab/second-checker/export-tables';

const tools = findBackupTools();

const told = [
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
    const lane = { stack, merchant } as Lane;
    for (const operation of operations.filter(({ name }) => told.includes(name))) {
      const story = await operation.begin(lane, trialName());
      const id = await story.ask();
      if (id === undefined) throw new Error(`${operation.name} was not accepted`);
      await story.acts?.(id);
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

  it('finds nothing, as malipo verify does', async () => {
    await expectClean(stack);
    const received = readReceived();
    expect(received.length).toBeGreaterThan(told.length / 2);
    const clean = await secondChecker(await dumped(), ...(await argsOf(received, await readBooks())));
    expect(clean).toEqual({ isClean: true, lines: ['0 violations'] });
  });

  /** What it says of one thing alone that is wrong with what others have. */
  async function saidOf(received: readonly Received[], books: Books): Promise<string[]> {
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
      () => /^stk: the provider has booked collection ws_CO_unheard, and we know of none$/,
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
  ])('sees a success that the provider %s', async (_what, plant, expected) => {
    const books = await readBooks();
    const [first, ...others] = books['stk'] ?? [];
    if (!first) throw new Error('the provider has booked nothing');
    const said = await saidOf(readReceived(), { ...books, stk: [...plant(first), ...others] });
    expect(said).toEqual([expect.stringMatching(expected(first))]);
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
      () => 'webhook not-of-ours was received, and is none of ours',
    ],
  ])('sees a webhook that %s', async (_what, plant, expected) => {
    const received = readReceived();
    const first = received[0];
    if (!first) throw new Error('no webhook was received');
    const others = received.filter(({ id }) => id !== first.id);
    const said = await saidOf([...plant(first), ...others], await readBooks());
    expect(said).toEqual([expected(first)]);
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

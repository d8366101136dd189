/** A clean run over the rails, in the eyes of the second checker: a dump of the database, the providers' books, the webhooks. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBackupTools } from '../../src/ops/services/find-backup-tools';
import { runCommand } from '../../src/ops/services/run-command';
import { operations } from '../crash/operations';
import { trialName, type Lane } from '../crash/support/lane';
import { nothingIsOpen } from '../faults/support/ending-well';
import { outfit } from '../support/acceptances';
import { expectClean } from '../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { exportTables, hasPython, secondChecker } from './export-tables';

jest.setTimeout(300_000);

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

(hasPython ? describe : describe.skip)('the second checker, of a run over the rails', () => {
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

  async function argsOf(received: object[]): Promise<string[]> {
    const [books, webhooks] = [join(folder, 'books'), join(folder, 'webhooks')];
    const answer = await fetch(`${stack.simulatorUrl}/control/books?detail=1`);
    await writeFile(books, await answer.text());
    await writeFile(webhooks, received.map((one) => JSON.stringify(one)).join('\n'));
    return ['--books', books, '--webhooks', webhooks];
  }

  it('finds nothing, as malipo verify does, and sees a webhook that nobody received', async () => {
    await expectClean(stack);
    const received = merchant.receiver.received.map(({ headers, rawBody }) => ({
      ...{ id: headers['webhook-id'] ?? '', body: rawBody },
    }));
    expect(received.length).toBeGreaterThan(told.length / 2);
    const file = await dumped();
    const clean = await secondChecker(file, ...(await argsOf(received)));
    expect(clean).toEqual({ isClean: true, lines: ['0 violations'] });

    const [lost] = received;
    const others = received.filter(({ id }) => id !== lost?.id);
    const unheard = await secondChecker(file, ...(await argsOf(others)));
    expect(unheard.lines).toEqual([
      `webhook ${lost?.id ?? ''} counts as delivered, and nobody received it`,
      '1 violations',
    ]);
  });
});

/** Certificates, authorities and keys of the connections to Temporal are rotated while payments are in progress. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { readTemporalLine } from '../../../src/config';
import { type SignalSource, type Activities, type VoucherCommand } from '../../../src/domain/commands';
import type { Log } from '../../../src/domain/log';
import { openClientLine } from '../../../src/process/client-line';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { temporalOptionsOf, type TemporalSettings } from '../../../src/process/temporal-connection';
import { UnhurriedWorker, openWorkerLine } from '../../../src/worker/run-worker';
import { startStack } from '../../support/stack';
import { newCertificate, type Identity } from '../../support/rails/walletpay/paypal-certificates';
import { keyFront, tlsFront, type TlsFront } from './temporal-fronts';

interface Pki {
  authority: Identity;
  server: Identity;
  client: Identity;
}

const workflowBundle = { codePath: join(__dirname, '..', '..', '..', 'dist', 'workflow-bundle.js') };
const pollEveryMs = 100;
const patience = { timeoutMs: 60_000, everyMs: 100 };
let folder: string;
let former: Pki;
let next: Pki;
const file = (name: string): string => join(folder, name);

function newPki(): Pki {
  const authority = newCertificate({ commonName: 'Test CA', isAuthority: true });
  const issued = (commonName: string): Identity =>
    newCertificate({ commonName, alternatives: [commonName], issuer: authority });
  return { authority, server: issued('localhost'), client: issued('malipo') };
}

function write(name: string, content: string): void {
  writeFileSync(file(name), content);
}

function writeFiles({ authority, client }: Pki, prefix = ''): void {
  write(`${prefix}ca.pem`, authority.pem);
  write(`${prefix}client.pem`, client.pem);
  write(`${prefix}client-key.pem`, client.keyPem);
}

const mutual = (prefix = ''): Record<string, string> => ({
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: file(`${prefix}ca.pem`),
  TEMPORAL_TLS_CLIENT_CERT_PATH: file(`${prefix}client.pem`),
  TEMPORAL_TLS_CLIENT_KEY_PATH: file(`${prefix}client-key.pem`),
});

function settingsOf(address: string, env: Record<string, string>): TemporalSettings {
  return {
    temporalAddress: address,
    temporalNamespace: 'default',
    temporalLine: readTemporalLine({ TEMPORAL_TLS_SERVER_NAME: 'localhost', ...env }),
  };
}

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  folder = mkdtempSync(join(tmpdir(), 'malipo-rotation-'));
  [former, next] = [newPki(), newPki()];
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The connections of one process of each kind, with workflows that need nothing but Temporal. */
async function open(settings: TemporalSettings) {
  const renewals: string[] = [];
  const troubles: string[] = [];
  const log: Log = {
    debug: () => undefined,
    info: (text) => renewals.push(text),
    warn: (text, fields) => troubles.push(`${text}: ${String(fields?.['error'])}`),
    error: () => undefined,
  };
  const connection = openClientLine(settings, { log, pollEveryMs });
  const client = new Client({ connection });
  const line = await openWorkerLine(settings, { log, pollEveryMs });
  const taskQueue = `rotation-${randomUUID()}`;
  const activities: Partial<Activities> = {
    sendVoucherMail: () => Promise.resolve('sent'),
    checkVoucher: () => Promise.resolve('redeemed'),
  };
  const worker = await UnhurriedWorker.create({
    connection: line.connection,
    taskQueue,
    workflowBundle,
    activities,
  });
  line.serve(worker);
  const running = worker.run();
  const start = async (): Promise<string> => {
    const voucherId = randomUUID();
    const command: VoucherCommand = {
      ...{ rail: 'voucher', kind: 'voucher', amount: 'KES 10.00', merchant: 'A Shop', reference: voucherId },
      flow: 'voucher',
      expiresAtMs: Date.now() + 3_600_000,
      fixedClock: true,
    };
    await client.workflow.start('voucher', { taskQueue, workflowId: voucherId, args: [command] });
    await waitFor(async () => mailed(voucherId), { what: 'the voucher to be mailed', ...patience });
    return voucherId;
  };
  const mailed = async (id: string): Promise<boolean> =>
    (await client.workflow.getHandle(id).fetchHistory()).events?.some(
      ({ activityTaskCompletedEventAttributes: done }) => Boolean(done),
    ) === true;
  const finish = async (id: string): Promise<unknown> => {
    const handle = client.workflow.getHandle(id);
    await handle.signal('merchant' satisfies SignalSource);
    const { status } = (await handle.result()) as { status: string };
    return status;
  };
  return {
    client,
    renewals,
    troubles,
    start,
    finish,
    /** Waits for both. */
    areRenewed: () =>
      waitFor(
        async () => {
          if (renewals.length < 2) throw new Error(`${renewals.length} were, ${troubles.at(-1) ?? ''}`);
          return true;
        },
        { what: 'both connections to be renewed', ...patience },
      ),
    async close() {
      worker.shutdown();
      await running;
      await line.close();
      await connection.close();
    },
  };
}

const opening = {
  async client(settings: TemporalSettings) {
    await (await Connection.connect({ ...temporalOptionsOf(settings), connectTimeout: 5_000 })).close();
  },
  async worker(settings: TemporalSettings) {
    await (await NativeConnection.connect(temporalOptionsOf(settings))).close();
  },
};

describe('certificates', () => {
  let front: TlsFront;
  beforeAll(async () => {
    front = await tlsFront(former.server, former.authority);
  });
  afterAll(() => front.close());

  it('and their authority are rotated under a payment, which continues; the old ones are rejected', async () => {
    writeFiles(former);
    writeFiles(former, 'former-');
    const lines = await open(settingsOf(front.address, mutual()));
    const underWay = await lines.start();

    // The certificate without its key, as between two writes: the old one stays in use.
    write('client.pem', next.client.pem);
    await waitFor(async () => lines.troubles.length >= 2, {
      what: 'the incomplete rotation to be noticed',
      ...patience,
    });
    expect(lines.renewals).toEqual([]);
    const meanwhile = await lines.start();

    writeFiles(next);
    front.rotate(next.server, next.authority);
    await lines.areRenewed();
    expect(await lines.finish(underWay)).toBe('redeemed');
    expect(await lines.finish(meanwhile)).toBe('redeemed');
    expect(await lines.finish(await lines.start())).toBe('redeemed');
    for (const kind of ['client', 'worker'] as const) {
      await expect(opening[kind](settingsOf(front.address, mutual('former-')))).rejects.toThrow();
      await expect(opening[kind](settingsOf(front.address, mutual()))).resolves.toBeUndefined();
    }
    await lines.close();
  });
});

describe('the API key', () => {
  it('is rotated under a payment, which continues; then the old one can be revoked', async () => {
    const front = await keyFront(former.server, new Set(['the-old-key']));
    write('ca.pem', former.authority.pem);
    write('key', 'the-old-key\n');
    const settings = settingsOf(front.address, {
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca.pem'),
      TEMPORAL_API_KEY_FILE: file('key'),
    });
    const lines = await open(settings);
    const underWay = await lines.start();

    front.keys.add('the-new-key');
    write('key', 'the-new-key\n');
    await lines.areRenewed();
    expect(await lines.finish(underWay)).toBe('redeemed');
    front.keys.delete('the-old-key');
    expect(await lines.finish(await lines.start())).toBe('redeemed');

    write('key', 'the-old-key\n');
    await expect(opening.client(settings)).rejects.toThrow();
    await expect(opening.worker(settings)).rejects.toThrow();
    await lines.close();
    await front.close();
  });

  it('is revoked for a worker, which ends with an error, so that its supervisor restarts it', async () => {
    const front = await keyFront(former.server, new Set(['the-key']));
    write('ca.pem', former.authority.pem);
    write('key', 'the-key\n');
    const stack = await startStack({
      without: ['api', 'simulator'],
      env: {
        TEMPORAL_ADDRESS: front.address,
        TEMPORAL_TLS_SERVER_NAME: 'localhost',
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca.pem'),
        TEMPORAL_API_KEY_FILE: file('key'),
      },
    });
    front.keys.clear();
    front.cut();
    expect(await stack.process('worker').exited).toBe('code 1');
    await stack.stop();
    await front.close();
  });
});

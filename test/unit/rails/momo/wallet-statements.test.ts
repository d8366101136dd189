import type { FileAnswer } from '../../../../src/rail-kit/provider-file';
import type { ProviderResponse } from '../../../../src/rail-kit/provider-http';
import { pawapayStatement } from '../../../../src/rails/momo/providers/pawapay/statement';
import { walletStatements } from '../../../../src/rails/momo/providers/pawapay/wallet-statements';
import { patiently } from '../../../support/reconciliation/statement-support';
import { atOnce } from '../../../support/at-once';

const day = (n: number) => new Date(Date.UTC(2026, 10, n));
const period = { from: day(1), to: day(10) };
const callbackUrl = 'https://pay.example.com/in/momo';
const heading = 'Creation Date,MSISDN,Transaction ID,Amount,Currency,Type';
const row = (id: string, currency = 'ZMW') =>
  `2026-11-05T10:00:00Z,260763456789,${id},12.50,${currency},DEPOSIT`;
const csv = (...rows: string[]) => [heading, ...rows].join('\n');

const answered = (json: unknown, status = 200): ProviderResponse => ({
  kind: 'answered',
  status,
  json,
  text: '',
});
const found = (data: object) => answered({ status: 'FOUND', data });
const fileOf = (text: string, status = 200): FileAnswer => ({
  ...{ kind: 'answered', status, json: undefined, text: '' },
  content: Buffer.from(text),
});

interface Account {
  wallets?: object[];
  /** By the name of the call, each instead of the valid answer. */
  answers?: Record<string, ProviderResponse[]>;
  /** The last one is repeated. */
  files?: FileAnswer[];
  /** When a request is accepted. */
  created?: string;
  fileSize?: number;
}

function provider({
  wallets,
  answers = {},
  files = [fileOf(csv(row('A')))],
  created,
  fileSize,
}: Account = {}) {
  const asked: { call: string; body: unknown }[] = [];
  const urls: string[] = [];
  const right = (call: string, path: string): ProviderResponse => {
    if (call === 'balances') return answered({ balances: wallets ?? [{ country: 'ZMB', currency: 'ZMW' }] });
    if (call === 'statement')
      return answered({
        statementId: `s-${asked.length}`,
        status: 'ACCEPTED',
        created: created ?? '2026-11-12T00:00:00Z',
      });
    const downloadUrl = `https://store.example.com${path}`;
    return found({ status: 'COMPLETED', downloadUrl, ...(fileSize !== undefined && { fileSize }) });
  };
  const source = walletStatements({
    ask(call, _method, path, body) {
      asked.push({ call, body });
      return Promise.resolve(answers[call]?.shift() ?? right(call, path));
    },
    files: {
      get({ url }) {
        urls.push(url);
        return Promise.resolve(files[Math.min(urls.length, files.length) - 1] as FileAnswer);
      },
    },
    callbackUrl,
    timeScale: 10_000,
  });
  const calls = (name: string) => asked.filter(({ call }) => call === name);
  return { calls, urls, fetch: (of = period) => source.fetch(of, patiently) };
}

async function statementOf(fetching: ReturnType<ReturnType<typeof provider>['fetch']>) {
  const statement = await fetching;
  if (statement.kind !== 'fetched') throw new Error(`nothing was fetched: ${statement.text}`);
  const lines = atOnce(pawapayStatement.read(statement.content, {}));
  return { ...statement, ids: lines.map(({ providerReference }) => providerReference) };
}

const twoWallets = [
  { country: 'ZMB', currency: 'ZMW', provider: '', balance: '1.00' },
  { country: 'COD', currency: 'USD', provider: 'VODACOM_MPESA_COD' },
  { country: 'ZZZ', currency: 'ZZZ' },
];

describe('a statement of pawaPay', () => {
  it('is requested, awaited and downloaded, one per known wallet, and joined', async () => {
    const pawapay = provider({
      wallets: twoWallets,
      answers: { statement_status: [found({ status: 'PROCESSING' }), found({ status: 'PROCESSING' })] },
      files: [fileOf(csv(row('A'), row('B'))), fileOf(csv(row('C', 'USD')))],
    });
    const { ids, covers } = await statementOf(pawapay.fetch());
    expect([ids, covers]).toEqual([['A', 'B', 'C'], period]);
    const of = {
      callbackUrl,
      compressed: false,
      startDate: '2026-11-01T00:00:00',
      endDate: '2026-11-10T00:00:00',
    };
    expect(pawapay.calls('statement').map(({ body }) => body)).toEqual([
      { wallet: { country: 'ZMB', currency: 'ZMW' }, ...of },
      { wallet: { country: 'COD', currency: 'USD', provider: 'VODACOM_MPESA_COD' }, ...of },
    ]);
    expect(pawapay.urls.every((url) => url.startsWith('https://store.example.com/v2/statements/s-'))).toBe(
      true,
    );
  });

  it('of more than 31 days becomes several', async () => {
    const pawapay = provider();
    await statementOf(pawapay.fetch({ from: new Date('2026-08-01T00:00:00Z'), to: period.to }));
    expect(pawapay.calls('statement').map(({ body }) => (body as { startDate: string }).startDate)).toEqual(
      ['2026-08-01', '2026-09-01', '2026-10-02', '2026-11-02'].map((start) => `${start}T00:00:00`),
    );
  });

  it('covers the data up to an hour before the request', async () => {
    const { covers } = await statementOf(provider({ created: '2026-11-09T12:00:00Z' }).fetch());
    expect(covers).toEqual({ ...period, to: new Date('2026-11-09T11:00:00Z') });
    expect(await provider({ created: '2026-11-01T00:30:00Z' }).fetch()).toMatchObject({
      kind: 'unavailable',
    });
  });

  it('is a different file for each empty time, with or without headings', async () => {
    const files = [fileOf(''), fileOf(heading)];
    const empty = (size: number) =>
      provider({ fileSize: size, files: [files[size === 0 ? 0 : 1] as FileAnswer] });
    const { ids, content } = await statementOf(empty(0).fetch());
    const later = await statementOf(empty(heading.length).fetch({ from: period.from, to: day(9) }));
    expect([ids, later.ids]).toEqual([[], []]);
    expect(content.equals(later.content)).toBe(false);
  });

  it('is requested again if the provider is busy', async () => {
    const busy = answered({}, 429);
    const answers = { statement: [busy], statement_status: [busy, answered({}, 503)] };
    expect((await statementOf(provider({ answers }).fetch())).ids).toEqual(['A']);
  });
});

const ofStatus = (data: object, times = 1) => ({
  answers: { statement_status: Array(times).fill(found(data)) },
});
const rejected = {
  status: 'REJECTED',
  failureReason: { failureCode: 'INVALID_PARAMETER', failureMessage: 'ZMW' },
};

it.each<[what: string, account: Account, kind: string, text: RegExp]>([
  ['it is not ready in time', ofStatus({ status: 'PROCESSING' }, 100), 'unavailable', /not ready yet/],
  ['it could not be made', ofStatus({ status: 'FAILED' }), 'unavailable', /could not generate/],
  [
    'it is not known any more',
    { answers: { statement_status: [answered({ status: 'NOT_FOUND' })] } },
    'unavailable',
    /does not know/,
  ],
  [
    'it is refused',
    { answers: { statement: [answered(rejected, 400)] } },
    'refused',
    /\(INVALID_PARAMETER\)$/,
  ],
  ['the token is refused', { answers: { balances: [answered({}, 403)] } }, 'refused', /MOMO_TOKEN/],
  ['there is no wallet', { wallets: [] }, 'refused', /no wallet/],
  ['the file is cut off', { fileSize: 1_000 }, 'unavailable', /of 1000 bytes/],
  ['the address has expired', { files: [fileOf('Expired', 403)] }, 'unavailable', /HTTP 403/],
  ['another file comes', { files: [fileOf('<html>Welcome</html>')] }, 'unavailable', /cannot be read/],
  [
    'the files of two wallets do not go together',
    { wallets: twoWallets, files: [fileOf(csv(row('A'))), fileOf(csv(row('B')).replaceAll(',', ';'))] },
    'unavailable',
    /have different formats/,
  ],
])('is not used if %s', async (_what, account, kind, text) => {
  expect(await provider(account).fetch()).toMatchObject({ kind, text: expect.stringMatching(text) });
});

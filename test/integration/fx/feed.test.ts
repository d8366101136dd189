import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readConfig } from '../../../src/config';
import { refreshRates } from '../../../src/fx/feed';
import { findQuote } from '../../../src/fx/rates';
import { rateSource, type RateSource } from '../../../src/fx/source';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { silentLog } from '../../support/silent-log';

let test: TestDatabase;
let folder: string;
let server: Server;
let url: string;
let answer: (response: ServerResponse, path: string) => void;

beforeAll(async () => {
  test = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'malipo-fx-'));
  server = createServer((request, response) => {
    answer(response, request.url ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1/rates?key=s3cret`;
});
beforeEach(() => test.db('fx_rates').delete());
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
  await test.drop();
});

const observedAt = new Date(Date.now() - 60_000);
const usdKes = { base: 'USD', quote: 'KES', rate: '129.50' };

function documentOf(changes: Record<string, unknown> = {}): string {
  return JSON.stringify({ observed_at: observedAt.toISOString(), rates: [usdKes], ...changes });
}

async function fileWith(text: string): Promise<string> {
  const path = join(folder, 'rates.json');
  await writeFile(path, text);
  return path;
}

function sourceAt(configured: string | undefined, environment: 'sandbox' | 'live' = 'live'): RateSource {
  const source = rateSource(configured, environment);
  if (!source) throw new Error('no source');
  return source;
}

const refresh = (source: RateSource, { log = silentLog, jumpMax = 1.5 } = {}) =>
  refreshRates(test.db, source, log, { jumpMax });
const stored = () => test.db('fx_rates').orderBy('rate_id');

describe('rates from a file', () => {
  it.each([
    ['a path', (path: string) => `file:${path}`],
    ['a URL', (path: string) => pathToFileURL(path).href],
  ])('named by %s are stored with the time and the source of their observation', async (_, name) => {
    const text = documentOf({ rates: [usdKes, { base: 'USD', quote: 'UGX', rate: '3700.1234567890' }] });
    expect(await refresh(sourceAt(name(await fileWith(text))))).toBe(2);
    expect(await stored()).toMatchObject([
      { ...usdKes, rate: '129.5000000000', source: 'file:rates.json', observed_at: observedAt },
      { base: 'USD', quote: 'UGX', rate: '3700.1234567890' },
    ]);
    expect(await findQuote(test.db, 'USD', 'KES')).toMatchObject({ rate: '129.5' });
  });

  it('fail when the file is missing', async () => {
    await expect(refresh(sourceAt(`file:${join(folder, 'none.json')}`))).rejects.toThrow('ENOENT');
  });
});

describe('rates from the network', () => {
  it('are stored under their origin only, because the rest of the URL may contain a key', async () => {
    let asked = '';
    answer = (response, path) => {
      asked = path;
      response.end(documentOf());
    };
    expect(await refresh(sourceAt(url))).toBe(1);
    expect(asked).toBe('/v1/rates?key=s3cret');
    expect(await stored()).toMatchObject([
      { ...usdKes, rate: '129.5000000000', source: new URL(url).origin },
    ]);
  });

  it.each([401, 404, 500, 204])('are rejected with status %i', async (status) => {
    answer = (response) => response.writeHead(status).end(status === 204 ? undefined : documentOf());
    await expect(refresh(sourceAt(url))).rejects.toThrow(`answered ${String(status)}`);
  });

  it('do not follow a redirect', async () => {
    answer = (response, path) => {
      if (path === '/elsewhere') response.end(documentOf());
      else response.writeHead(302, { location: '/elsewhere' }).end();
    };
    await expect(refresh(sourceAt(url))).rejects.toThrow('answered 302');
  });

  it('are limited in size', async () => {
    answer = (response) => {
      const more = (): void => {
        if (response.destroyed) return;
        response.write(' '.repeat(64 * 1024), () => setImmediate(more));
      };
      more();
    };
    await expect(refresh(sourceAt(url))).rejects.toThrow('larger than 1 MB');
  });
});

describe('an observation', () => {
  it('is stored once, however often and by however many workers it is read', async () => {
    const source = sourceAt(`file:${await fileWith(documentOf())}`);
    const counts = await Promise.all([refresh(source), refresh(source), refresh(source)]);
    expect(counts.sort()).toEqual([0, 0, 1]);
    expect(await refresh(source)).toBe(0);
    expect(await stored()).toHaveLength(1);
  });

  it('cannot be changed later', async () => {
    await refresh(sourceAt(`file:${await fileWith(documentOf())}`));
    const changed = documentOf({ rates: [{ ...usdKes, rate: '1.00' }] });
    expect(await refresh(sourceAt(`file:${await fileWith(changed)}`))).toBe(0);
    expect(await stored()).toMatchObject([{ rate: '129.5000000000' }]);
  });

  it('of unsupported currencies is skipped', async () => {
    const rates = [{ base: 'XAU', quote: 'DEM', rate: '160.1' }, usdKes];
    expect(await refresh(sourceAt(`file:${await fileWith(documentOf({ rates }))}`))).toBe(1);
    expect(await stored()).toMatchObject([{ base: 'USD' }]);
  });
});

describe('a rate that jumps', () => {
  const days = (n: number) => n * 86_400_000;
  const observe = (rate: string, ageMs = 600_000) =>
    test
      .db('fx_rates')
      .insert({ base: 'USD', quote: 'KES', rate, source: 'test', observed_at: new Date(Date.now() - ageMs) });
  const readsRates = async (...rates: object[]) => sourceAt(`file:${await fileWith(documentOf({ rates }))}`);

  it('is not used: the rate before it stays, and the log names both rates and the setting', async () => {
    await observe('129.50');
    const errors: unknown[] = [];
    const log = { ...silentLog, error: (...line: unknown[]) => errors.push(line) };
    const source = await readsRates({ ...usdKes, rate: '1.2950' });
    await expect(refresh(source, { log })).rejects.toThrow('USD/KES');
    expect(await findQuote(test.db, 'USD', 'KES')).toMatchObject({ rate: '129.5', source: 'test' });
    expect(errors).toEqual([
      [
        expect.stringContaining('MALIPO_FX_JUMP_MAX'),
        expect.objectContaining({ pair: 'USD/KES', rate: '1.2950', stored_rate: '129.5', jump_max: 1.5 }),
      ],
    ]);
  });

  it('leaves the other rates of its answer usable', async () => {
    await observe('129.50');
    const ugx = { base: 'USD', quote: 'UGX', rate: '3700.00' };
    await expect(refresh(await readsRates({ ...usdKes, rate: '12950' }, ugx))).rejects.toThrow('USD/KES');
    expect(await findQuote(test.db, 'USD', 'UGX')).toMatchObject({ rate: '3700' });
    expect(await findQuote(test.db, 'USD', 'KES')).toMatchObject({ rate: '129.5' });
  });

  it.each([
    ['the inverse of a stored rate', '129.50', { base: 'KES', quote: 'USD', rate: '0.7722' }],
    ['upwards', '129.50', { ...usdKes, rate: '194.2500000001' }],
    ['downwards', '194.2500000001', usdKes],
  ])('is found: %s', async (_, before, rate) => {
    await observe(before);
    await expect(refresh(await readsRates(rate))).rejects.toThrow(`${rate.base}/${rate.quote}`);
    expect(await stored()).toHaveLength(1);
  });

  it('is found between a pair and its inverse in one answer', async () => {
    const source = await readsRates(usdKes, { base: 'KES', quote: 'USD', rate: '0.7722' });
    await expect(refresh(source)).rejects.toThrow('KES/USD');
    expect(await stored()).toMatchObject([{ base: 'USD' }]);
  });

  it.each([
    ['differs by the factor and no more', '129.50', 600_000, { ...usdKes, rate: '194.25' }, 1.5],
    ['is below a higher setting', '129.50', 600_000, { ...usdKes, rate: '1.295' }, 100],
    ['is the inverse', '129.50', 600_000, { base: 'KES', quote: 'USD', rate: '0.0077' }, 1.5],
    ['comes after a week without one', '1.2950', days(7) + 60_000, usdKes, 1.5],
  ])('is none if it %s', async (_, before, ageMs, rate, jumpMax) => {
    await observe(before, ageMs);
    expect(await refresh(await readsRates(rate), { jumpMax })).toBe(1);
  });

  it('is compared with the newest stored rate, even with one that is too old to use', async () => {
    await observe('1.2950', days(6));
    await observe('129.50', days(5));
    await expect(refresh(await readsRates({ ...usdKes, rate: '1.2950' }))).rejects.toThrow('USD/KES');
    expect(await findQuote(test.db, 'USD', 'KES')).toBeUndefined();
  });
});

describe('a source is rejected, with a reason and without a row in the table,', () => {
  const rated = (rate: unknown) => documentOf({ rates: [usdKes, { base: 'USD', quote: 'UGX', rate }] });
  it.each([
    ['text that is not JSON', '<html>', 'are not JSON'],
    ['an empty answer', '', 'are not JSON'],
    ['another shape', '[]', 'must be of type object'],
    ['null', 'null', 'must be of type object'],
    ['no rates', documentOf({ rates: [] }), '"rates" must contain at least 1'],
    ['too many rates', documentOf({ rates: Array(1_001).fill(usdKes) }), '"rates" must contain less than'],
    ['a number, which may have lost digits', rated(3700.5), '"rates[1].rate" must be a decimal in quotes'],
    ['a rate of zero', rated('0.00'), '"rates[1].rate" must be a decimal above zero'],
    ['a negative rate', rated('-3700'), '"rates[1].rate" must be a decimal above zero'],
    ['an exponent', rated('37e2'), '"rates[1].rate" must be a decimal above zero'],
    [
      'more decimals than the column has',
      rated('1.00000000001'),
      '"rates[1].rate" must be a decimal above zero',
    ],
    ['more digits than the column has', rated('10000000000'), '"rates[1].rate" must be a decimal above zero'],
    ['a pair twice', documentOf({ rates: [usdKes, { ...usdKes, rate: '1' }] }), 'duplicate'],
    [
      'a pair of one',
      documentOf({ rates: [{ ...usdKes, quote: 'USD' }] }),
      '"rates[0].quote" contains an invalid',
    ],
    [
      'no currency',
      documentOf({ rates: [{ ...usdKes, base: 'usd' }] }),
      '"rates[0].base" must be a currency',
    ],
    ['no time', documentOf({ observed_at: undefined }), '"observed_at" is required'],
    ['a time without a zone', documentOf({ observed_at: '2026-01-31T08:00:00' }), 'must name its time zone'],
    ['an invalid day', documentOf({ observed_at: '2026-13-41T08:00:00Z' }), '"observed_at"'],
    ['a future time', documentOf({ observed_at: '2999-01-01T00:00:00Z' }), 'is in the future'],
  ])('for %s', async (_, text, reason) => {
    await expect(refresh(sourceAt(`file:${await fileWith(text)}`))).rejects.toThrow(reason);
    expect(await stored()).toEqual([]);
  });

  it('without repeating its text', async () => {
    const text = documentOf({ rates: [{ base: 'canary-1', quote: 'KES', rate: 'canary-2' }] });
    const refused = refresh(sourceAt(`file:${await fileWith(text)}`)).catch((error: unknown) =>
      String(error),
    );
    expect(await refused).not.toContain('canary');
  });
});

const configWith = (environment: string, env: NodeJS.ProcessEnv) =>
  readConfig({
    MALIPO_ENV: environment,
    DATABASE_URL: test.url,
    MALIPO_SECRET_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
    MALIPO_AUDIT_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    MALIPO_PUBLIC_URL: 'https://pay.example.com',
    ...env,
  });

describe('MALIPO_FX_JUMP_MAX', () => {
  it('is 1.5 by default', () => {
    expect(configWith('live', {}).fxJumpMax).toBe(1.5);
  });

  it.each(['1.05', '2', '1000'])('may be %s', (factor) => {
    expect(configWith('live', { MALIPO_FX_JUMP_MAX: factor }).fxJumpMax).toBe(Number(factor));
  });

  it.each(['1.04', '1', '0', '-2', '1001', 'off', 'Infinity'])('is rejected as %s', (factor) => {
    expect(() => configWith('live', { MALIPO_FX_JUMP_MAX: factor })).toThrow('MALIPO_FX_JUMP_MAX');
  });
});

describe('MALIPO_FX_SOURCE', () => {
  const configOf = (environment: string, source: string) =>
    configWith(environment, { MALIPO_FX_SOURCE: source });

  it.each(['file:rates.json', 'file:///etc/malipo/rates.json', 'https://rates.example.com/today'])(
    'may be %s',
    (source) => {
      expect(configOf('live', source).fxSource).toBe(source);
    },
  );

  it('is not a source when it is empty, as compose leaves it', () => {
    expect(configOf('live', '').fxSource).toBeUndefined();
  });

  it('must be encrypted in live', () => {
    expect(() => configOf('live', 'http://rates.example.com/')).toThrow(
      'must be a file or an https URL in live',
    );
    expect(configOf('sandbox', 'http://127.0.0.1:8080/').fxSource).toBe('http://127.0.0.1:8080/');
  });

  it.each(['rates.json', 'ftp://rates.example.com/', 'https://'])('is rejected as %s', (source) => {
    expect(() => configOf('live', source)).toThrow('MALIPO_FX_SOURCE');
  });
});

describe('without a configured source', () => {
  it('the sandbox has a rate for every currency of wallets', async () => {
    expect(await refresh(sourceAt(undefined, 'sandbox'))).toBe(3);
    for (const currency of ['KES', 'TZS', 'UGX'] as const) {
      expect(await findQuote(test.db, 'USD', currency)).toMatchObject({ source: 'sandbox' });
      expect(await findQuote(test.db, currency, 'USD')).toMatchObject({ source: 'sandbox' });
    }
  });

  it('live has none', () => {
    expect(rateSource(undefined, 'live')).toBeUndefined();
  });
});

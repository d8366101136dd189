/** How the log treats texts that callers control: secrets are hidden, and nothing is slow. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { redactFields, redactText } from '../../../src/telemetry/redact';

const src = join(__dirname, '..', '..', '..', 'src');

const hostile: [string, string][] = [
  ['the name of a secret, again and again', 'secret'],
  ['two such names', 'secrettoken-'],
  ['names with a quotation mark', '"secret'],
  ['names and quotation marks', '"secret"'],
  ['names with a colon', 'token":"'],
  ['backslashes', '"password":"\\'],
  ['a name and spaces', 'secret     '],
  ['equals signs', 'secret='],
  ['the beginning of a key', 'sk_test_'],
  ['a scheme and spaces', 'Bearer  '],
  ['mail without an end', 'a@'],
  ['mail with dots', 'a.a@a.'],
  ['digits', '4'],
  ['digits in groups', '4111 '],
  ['digits and dashes', '1-'],
  ['plus signs', '+2547'],
  ['telephone numbers in groups', '+254 712 '],
  ['the beginning of a URL', '://a:b'],
  ['letters', 'K'],
  ['spaces', ' '],
];

/** The least processor time of some runs: a busy machine does not change it much. */
function leastCpuMs(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 7; run += 1) {
    const begun = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begun);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

it('only the line of a call is written without a search for secrets', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const marking = files.filter((file) =>
    /^ +'safe',$|, 'safe'\)/m.test(readFileSync(join(src, file), 'utf8')),
  );
  expect(marking).toEqual([join('api', 'access-log.ts')]);
});

describe('a place', () => {
  it.each([
    'STK_PASSKEY_FILE: /run/secrets/malipo/STK_PASSKEY cannot be read (ENOENT)',
    'TEMPORAL_API_KEY_FILE=/run/secrets/malipo/token',
    'Error: no at readSecretFiles (/app/dist/secret-files.js:81:13)',
  ])('of a secret is not a secret: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('of a secret has no secret after it', () => {
    expect(redactText('STK_PASSKEY=hunter2 STK_PASSKEY_FILE=/run/secrets/passkey password: hunter2')).toBe(
      'STK_PASSKEY=[redacted] STK_PASSKEY_FILE=/run/secrets/passkey password: [redacted]',
    );
  });
});

describe('a text of', () => {
  const textOf = (unit: string, length: number) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

  it.each(hostile)('%s costs four times as much at four times the length', (_, unit) => {
    for (const end of ['', '\u0000', '"', '=x']) {
      const short = leastCpuMs(() => redactText(textOf(unit, 2_000) + end));
      const long = leastCpuMs(() => redactText(textOf(unit, 8_000) + end));
      // Quadratic is 16 times as much, and cubic 64 times.
      expect(long).toBeLessThan(9 * short + 10);
    }
  });

  it('any size is cut before it is read', () => {
    const text = 'secret'.repeat(1_000_000);
    expect(redactText(text).length).toBeLessThan(9_000);
    expect(leastCpuMs(() => redactText(text))).toBeLessThan(
      9 * leastCpuMs(() => redactText(text.slice(0, 8_000))) + 10,
    );
  });
});

describe('a line', () => {
  it('has a size that no caller controls', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`k${String(n)}`, 'x '.repeat(4_000)]),
    );
    const deep = { a: wide, b: [wide, wide, { c: wide }], d: { e: { f: wide } } };
    expect(JSON.stringify(redactFields(deep)).length).toBeLessThan(150_000);
  });

  it('has names of limited length, without secrets in them', () => {
    const name = `client_secret=${'canary'.repeat(1_000)}`;
    const line = JSON.stringify(redactFields({ [name]: 1 }));
    expect(line.length).toBeLessThan(200);
    expect(line).not.toContain('canary');
  });

  it('keeps no first half of a value that was cut', () => {
    const text = `${'x '.repeat(4_085)}4111 1111 1111 1111 canary@example.com`;
    expect(redactText(text)).not.toMatch(/canary|4111/);
  });
});

describe('a named secret', () => {
  it.each([
    ['in JSON', '{"client_secret": "canary one", "a": 1}'],
    ['in JSON within JSON', JSON.stringify({ body: JSON.stringify({ api_secret: 'canary' }) })],
    ['in JSON, as a number', '{"token": 1234canary}'],
    ['in JSON, as a list', '{"token": ["canary"]}'],
    ['with a quotation mark in it', '{"password":"a\\"canary"}'],
    ['without an end', '{"password":"a canary'],
    ['in a query', '/path?x=1&access_token=canary&y=2'],
    ['after another one', 'a=secret=canary'],
    ['in a header', 'X-Api-Secret: canary'],
    ['in an object of JavaScript', "{ passKey: 'canary' }"],
  ])('%s is hidden', (_, text) => {
    expect(redactText(text)).toContain('[redacted]');
    expect(redactText(text)).not.toContain('canary');
  });

  it('leaves its neighbours readable', () => {
    expect(redactText('/path?x=1&access_token=canary&y=2')).toBe('/path?x=1&access_token=[redacted]&y=2');
    expect(redactText('{"secret":"canary","state":"open"}')).toBe('{"secret":"[redacted]","state":"open"}');
  });
});

describe('a card number', () => {
  it('is masked in texts, in numbers and in names', () => {
    const card = '4111111111111111';
    const line = JSON.stringify(
      redactFields({ body: `{"note":"4111-1111 1111 1111"}`, value: Number(card), [card]: 1 }),
    );
    expect(line).not.toMatch(/1111[ -]?1111/);
    expect(line).toContain('[card …1111]');
  });
});

describe('an error', () => {
  function messageOf(error: unknown): unknown {
    return (redactFields({ error })['error'] as { message: unknown }).message;
  }
  function thrownBy(work: () => unknown): unknown {
    try {
      work();
    } catch (error) {
      return error;
    }
    throw new Error('nothing was thrown');
  }

  it.each([
    ['of the JSON parser', () => JSON.parse('Jane Canary') as unknown],
    ['of the JSON parser, about quotes', () => JSON.parse('{"a":"Jane" Canary"') as unknown],
    ['of a path', () => decodeURIComponent('%Canary')],
    ['of a number', () => BigInt('Canary')],
    ['of a time zone', () => new Intl.DateTimeFormat('en', { timeZone: 'Canary' })],
    ['of a list', () => Buffer.alloc(-1)],
  ])('%s does not repeat its input', (_, work) => {
    expect(messageOf(thrownBy(work))).not.toMatch(/Canary|Jane/);
  });

  it.each([
    [`Duplicate entry 'Jane's Canary' for key 'one_code'`, `Duplicate entry … for key 'one_code'`],
    [
      `Incorrect string value: '\\xF0Canary' for column 'note' at row 1`,
      `Incorrect string value: … for column 'note' at row 1`,
    ],
    [`Data too long for column 'note' at row 1`, `Data too long for column 'note' at row 1`],
    [`Table 'malipo.payments' doesn't exist`, `Table 'malipo.payments' doesn't exist`],
    [`Unknown column 'x' in 'field list'`, `Unknown column 'x'…`],
    [`You have an error near 'Canary'' at line 1`, `You have an error near … at line 1`],
  ])('of the database, %s', (sqlMessage, reported) => {
    expect(messageOf(Object.assign(new Error('x'), { sqlMessage }))).toBe(reported);
  });
});

describe('a secret with a known form', () => {
  it.each([
    ['mysql://malipo:s3cret@db', 'mysql://[redacted]@db'],
    ['at mysql://malipo:s3c/r?t#@db:3306/malipo again', 'at mysql://[redacted]@db:3306/malipo again'],
    ['smtps://:p@ss@mail', 'smtps://[redacted]@mail'],
    ['call +254 712 345 678 now', 'call ***678 now'],
    ['call +254 (712) 345-678, then', 'call ***678, then'],
    ['call 0712 345 678 or 254-712-345-678', 'call ***678 or ***678'],
  ])('is hidden: %s', (text, reported) => {
    expect(redactText(text)).toBe(reported);
  });

  it.each([
    'https://api.example.com:8080/v2/x?y=1',
    'http://127.0.0.1:3000/path',
    '2026-01-31 23:59:59 +0300',
    '10.50 + 20.00',
    'took 254 ms, then 712 ms',
  ])('and nothing else is hidden: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

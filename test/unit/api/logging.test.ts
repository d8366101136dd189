import { createWriteStream } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { createLog, temporalLogger } from '../../../src/telemetry/logging';

/** The log output, line by line. */
function capture(level = 'debug', context?: () => Record<string, unknown>) {
  const stream = new PassThrough();
  const log = createLog({ level, stream, ...(context && { context }) });
  const lines = () =>
    String(stream.read() ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines };
}

function logged(fields: Record<string, unknown>, message = 'message'): Record<string, unknown> {
  const { log, lines } = capture();
  log.info(message, fields);
  return lines()[0] ?? {};
}

const secret = 'sk_test_Canary0123456789';
const token = 'tokencanary0123456789';
const phone = '254708374149';
const email = 'canary@example.co.ke';
const webhookSecret = 'whsec_Q2FuYXJ5Q2FuYXJ5';

describe('the log', () => {
  it('is one JSON object per line, whatever a caller sends in a text', () => {
    const { log, lines } = capture();
    log.info('first\n{"level":"error","message":"forged"}', { reference: 'a\r\nb' });
    log.warn('second');
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'info', message: 'first\n{"level":"error","message":"forged"}' }),
      expect.objectContaining({ level: 'warn', message: 'second' }),
    ]);
  });

  it('contains no terminal escapes, and the same content as JSON', () => {
    const stream = new PassThrough();
    const text = 'a\u001b[2J\u009b2J\u007f\u202e\u2028b';
    createLog({ level: 'info', stream }).info(text, { reference: text, [text]: 1 });
    const line = String(stream.read());
    expect(line.trimEnd()).toMatch(/^\P{C}+$/u);
    expect(JSON.parse(line)).toMatchObject({ message: text, reference: text, [text]: 1 });
  });

  it('has no field that overwrites its own', () => {
    expect(logged({ level: 'debug', message: 'forged', time: 'never', status: 200 })).toEqual({
      level: 'info',
      message: 'message',
      status: 200,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    });
  });

  it('names its process in every line, as it is, and no caller can replace that', () => {
    const stream = new PassThrough();
    const origin = { process: 'api', instance: '254712345678:1', build: undefined, environment: 'live' };
    const log = createLog({ level: 'info', stream, origin, context: () => ({ request_id: 'r1' }) });
    log.info('message', { environment: 'forged', status: 200 });
    expect(JSON.parse(String(stream.read()))).toEqual({
      ...{ process: 'api', instance: '254712345678:1', environment: 'live', request_id: 'r1', status: 200 },
      ...{ level: 'info', message: 'message', time: expect.any(String) as string },
    });
  });

  it('does not search fields that are marked as safe, and always searches the message', () => {
    const { log, lines } = capture();
    log.info(`to ${email}`, { route: '/api/v1/stk_push', ids: phone }, 'safe');
    expect(lines()).toMatchObject([{ message: 'to [redacted]', route: '/api/v1/stk_push', ids: phone }]);
  });

  it('attaches once to a stream, however many logs a process opens on it', () => {
    const stream = new PassThrough();
    for (let n = 0; n < 20; n += 1) createLog({ level: 'info', stream });
    expect(stream.listenerCount('error')).toBe(1);
  });

  it('has the context of the request', () => {
    const { log, lines } = capture('info', () => ({ request_id: 'r1' }));
    log.info('message');
    expect(lines()[0]).toMatchObject({ request_id: 'r1' });
  });

  it('leaves out lines below its level', () => {
    const { log, lines } = capture('warn');
    log.debug('d');
    log.info('i');
    log.warn('w');
    log.error('e');
    expect(lines().map((line) => line['message'])).toEqual(['w', 'e']);
  });

  describe('never shows', () => {
    const planted: [string, Record<string, unknown>][] = [
      [
        'a secret in headers',
        { headers: { 'X-Api-Secret': secret, Authorization: `Bearer ${token}`, cookie: token } },
      ],
      [
        'a secret in a body',
        { body: { api_secret: secret, Password: token, passkey: token, SecurityCredential: token } },
      ],
      ['a secret far down', { a: [{ b: { c: [{ access_token: token, accessToken: token }] } }] }],
      ['a secret in a text', { text: `called with ${secret} and ${webhookSecret} and Bearer ${token}` }],
      ['a secret in a JSON text', { text: `{"api_secret":"${token}","x":{"refresh_token" : "${token}` }],
      ['a secret in a URL', { url: `https://a.example/cb?token=${token}&client_secret=${token}` }],
      ['a secret in a list', { list: [secret, [webhookSecret]] }],
      ['a secret in a map', { map: new Map([['api_secret', token]]), set: new Set([secret]) }],
      ['a secret in an error', { error: new Error(`wrong secret ${secret}`, { cause: new Error(email) }) }],
      ['a secret in the name of a field', { [secret]: 1 }],
      [
        'a phone number',
        { phone_number: phone, PhoneNumber: Number(phone), msisdn: `+${phone}`, PartyA: phone },
      ],
      ['a phone number in a text', { text: `prompt for +${phone} (${phone}, 0708374149)` }],
      ['a phone number in a JSON text', { text: `{"Item":[{"Name":"PhoneNumber","Value":${phone}}]}` }],
      ['a bare phone number', { value: Number(phone), big: BigInt(phone) }],
      ['an e-mail address', { recipient_email: email, text: `to <${email}>` }],
      ['a name', { payer_name: 'Canary', first_name: 'Canary', lastName: 'Canary' }],
      ['a token of a callback', { callback_token: token }],
      ['bytes', { body: Buffer.from(secret) }],
    ];
    it.each(planted)('%s', (_, fields) => {
      const text = JSON.stringify(logged(fields, `message about ${secret} of ${phone}`));
      for (const canary of [
        secret,
        secret.slice(8),
        token,
        phone,
        '708374149',
        email,
        webhookSecret.slice(6),
        'Canary',
      ]) {
        expect(text).not.toContain(canary);
      }
    });

    it('the values of a statement that the database rejected', () => {
      const error = Object.assign(new Error(`insert into x values ('${token}') - Duplicate entry`), {
        sql: 'insert into x values (?)',
        bindings: [token],
        sqlMessage: 'Duplicate entry for key one_code',
        errno: 1062,
      });
      const line = logged({ error });
      expect(JSON.stringify(line)).not.toContain(token);
      expect(line['error']).toMatchObject({ errno: 1062, message: 'Duplicate entry for key one_code' });
    });
  });

  it('contains what an operator needs', () => {
    const fields = {
      payment_id: '018f0000-0000-7000-8000-254708374149',
      request_id: 'req-254708374149',
      transaction_date: '20260131235959',
      amount_minor: '15000000',
      epoch_ms: 1767225600000,
      receipt: 'NLJ7RT61SV',
      address: '41.90.64.7',
      at: new Date(0),
    };
    expect(logged(fields)).toMatchObject({ ...fields, at: '1970-01-01T00:00:00.000Z' });
    expect(logged({ phone_number: phone })).toMatchObject({ phone_number: '***149' });
    expect(logged({ text: `sent to ${phone}` })).toMatchObject({ text: 'sent to ***149' });
  });

  it('shows an error with its stack and its cause', () => {
    const error = new Error('outer', { cause: new TypeError('inner') });
    expect(logged({ error })['error']).toMatchObject({
      name: 'Error',
      message: 'outer',
      stack: expect.stringContaining('at ') as string,
      cause: { name: 'TypeError', message: 'inner' },
    });
  });

  describe('never throws', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    it.each<[string, Record<string, unknown>]>([
      ['a value that contains itself', circular],
      [
        'a getter that throws',
        Object.defineProperty({}, 'bad', {
          enumerable: true,
          get: () => {
            throw new Error();
          },
        }),
      ],
      ['a symbol and a function', { symbol: Symbol('s'), run: () => 1 }],
      ['a very long text', { text: 'x'.repeat(10_000_000) }],
      [
        'a very deep object',
        JSON.parse('{"a":'.repeat(500) + '1' + '}'.repeat(500)) as Record<string, unknown>,
      ],
      ['a date that is none', { date: new Date(Number.NaN) }],
    ])('at %s', (_, fields) => {
      const { log, lines } = capture();
      expect(() => {
        log.error('message', fields);
      }).not.toThrow();
      expect(lines()).toHaveLength(1);
    });
  });

  describe('that cannot be written', () => {
    it.each<[string, () => Writable]>([
      [
        'for want of a reader',
        () =>
          new Writable({
            write: (_c, _e, done) => {
              done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' }));
            },
          }),
      ],
      [
        'because writing throws',
        () =>
          new Writable({
            write: () => {
              throw new Error('ENOSPC');
            },
          }),
      ],
      ['because the disk is full', () => createWriteStream('/dev/full')],
      ['because it is closed', () => new PassThrough().destroy()],
      ['because nobody reads on', () => new Writable({ highWaterMark: 1, write: () => undefined })],
    ])('%s causes no failure', async (_, stream) => {
      const log = createLog({ level: 'info', stream: stream() });
      const healthy = capture();
      for (let n = 0; n < 100; n += 1) {
        log.info('message', { n });
        healthy.log.info('message', { n });
        if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(healthy.lines()).toHaveLength(100);
    });
  });

  it("accepts Temporal's messages", () => {
    const { log, lines } = capture();
    const logger = temporalLogger(log);
    logger.log('INFO', 'worker state changed', { taskQueue: 'malipo' });
    logger.trace('t');
    logger.warn('w', { error: new Error(secret), timestampNanos: 1n });
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'info', message: 'worker state changed', taskQueue: 'malipo' }),
      expect.objectContaining({ level: 'debug', message: 't' }),
      expect.objectContaining({ level: 'warn', timestampNanos: '1' }),
    ]);
  });
});

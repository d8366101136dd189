/** Generates the request of one number: the same for the same seed; valid, nearly valid or hostile by turns. */
import { forgedNotification } from './notifications';
import { chanceOf, type Chance } from './random';
import { placeholder, type FuzzRequest } from './request';
import type { Target } from './targets';
import { hostileValue, soundValue } from './values';

type Headers = [string, string][];

/** A payment costs a hundred times as much as an error; some are let through, so that others can name them. */
const soundOneIn = 40;

function inputOf(target: Target, chance: Chance, canary: string): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const { name, type, required } of target.fields) {
    if (!required && chance.oneIn(3)) continue;
    const value = soundValue(target.path, name, type, chance, canary);
    if (value !== undefined) input[name] = value;
  }
  if (chance.oneIn(soundOneIn)) return input;
  for (let faults = 1 + chance.below(3); faults > 0; faults -= 1) spoil(input, target, chance, canary);
  return input;
}

function spoil(input: Record<string, unknown>, target: Target, chance: Chance, canary: string): void {
  const names = [
    ...target.fields.map(({ name }) => name),
    ...['api_key', 'api_secret', canary, `secret_${canary}`],
  ];
  const name = chance.pick(names);
  const value = chance.oneIn(6) ? undefined : hostileValue(chance, canary);
  Object.defineProperty(input, name, { value, enumerable: true, configurable: true, writable: true });
}

function credentials(chance: Chance, canary: string): Headers {
  const merchant = chance.below(2);
  const key: [string, string] = ['X-API-Key', placeholder('key', merchant)];
  const secret: [string, string] = ['X-API-Secret', placeholder('secret', merchant)];
  switch (chance.below(14)) {
    case 0:
      return [];
    case 1:
      return [key];
    case 2:
      return [key, ['X-API-Secret', placeholder('secret', 1 - merchant)]];
    case 3:
      return [key, ['X-API-Secret', `sk_test_${canary}`]];
    case 4:
      return [['X-API-Key', canary.repeat(1 + chance.below(40))], secret];
    case 5:
      return [key, key, secret];
    default:
      return [key, secret];
  }
}

const contentTypes = [
  'application/json; charset=utf-8',
  'application/json; charset="UTF-8"',
  'application/json; charset=utf-16',
  'application/json;;; =',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  `application/json; charset=${' '.repeat(2_000)}x`,
  '',
];

function headersOf(target: Target, chance: Chance, canary: string): Headers {
  const headers: Headers = [
    // Another address for each, so that the limits by address do not end the run.
    ['X-Forwarded-For', `10.${chance.below(250)}.${chance.below(250)}.${chance.below(250)}`],
    ...(target.kind === 'endpoint' ? credentials(chance, canary) : []),
  ];
  if (target.method === 'POST') {
    headers.push(['Content-Type', chance.oneIn(12) ? chance.pick(contentTypes) : 'application/json']);
  }
  if (chance.oneIn(3)) {
    const key = chance.pick([
      `key-${chance.below(30)}`,
      `"key-${chance.below(30)}"`,
      canary,
      ' ',
      'k'.repeat(300),
      `k\u00e9${canary}`,
    ]);
    headers.push(['Idempotency-Key', key]);
  }
  if (chance.oneIn(20)) headers.push(['X-Request-Id', `${canary}\t"${canary}`]);
  if (chance.oneIn(20)) headers.push(['Content-Encoding', chance.pick(['gzip', 'identity', canary])]);
  if (chance.oneIn(20)) headers.push(['X-HTTP-Method-Override', 'DELETE'], ['Host', `${canary}:1`]);
  if (chance.oneIn(30)) headers.push(['Expect', chance.pick(['100-continue', canary])]);
  if (chance.oneIn(30)) headers.push([`X-${canary}`, canary.repeat(chance.pick([1, 100, 500]))]);
  if (target.rail === 'walletpay' && target.kind === 'notification') {
    headers.push(
      ['Paypal-Transmission-Id', canary],
      ['Paypal-Transmission-Time', chance.pick(['2026-01-05T09:00:00Z', canary])],
      ['Paypal-Auth-Algo', 'SHA256withRSA'],
      ['Paypal-Cert-Url', chance.pick(['https://api.paypal.com/v1/certs/x', `https://${canary}.example/`])],
      ['Paypal-Transmission-Sig', canary],
    );
  }
  return headers;
}

/** Damages the text itself, beyond what any value can express. */
function bytesOf(value: unknown, chance: Chance, canary: string): Buffer {
  const text = JSON.stringify(value);
  if (!chance.oneIn(8)) return Buffer.from(text);
  const spoiled: (() => string | Buffer)[] = [
    () => '',
    () => canary,
    () => `[${text}]`,
    () => text.slice(0, chance.below(text.length + 1)),
    () => text.replace('{', `{"amount":1,"amount":"${canary}",`),
    () => text.replace('{', `{"__proto__":{"${canary}":1},`),
    () => `\ufeff${text}`,
    () => `${text}${canary}`,
    () => `{"${canary}":${'['.repeat(chance.pick([19, 100, 30_000]))}`,
    () => `{"a":"${canary}${'\\"'.repeat(20_000)}`,
    () => text.padEnd(66_000, ' '),
    () => text.replace(/"amount":[^,}]*/, `"amount":1e${'9'.repeat(1 + chance.below(300))}`),
    () => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x7d])]),
    () => `amount=1&${canary}=1`,
  ];
  const made = chance.pick(spoiled)();
  return typeof made === 'string' ? Buffer.from(made) : made;
}

/** Without halves of surrogate pairs, which no URL can contain. */
const wellFormed = (text: string) => Buffer.from(text).toString('utf8');

function queryOf(value: unknown, chance: Chance, canary: string): string {
  const pairs = Object.entries(value as object)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      const text = typeof member === 'string' ? member : JSON.stringify(member);
      return `${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(text.slice(0, 3_000)))}`;
    });
  if (chance.oneIn(6)) {
    const name = chance.pick(['secret', canary, 'token', 'a']).repeat(1 + chance.below(300));
    pairs.push(
      chance.pick([`${name}=1&${name}=1`, '%zz=1', '%ff=1', '__proto__=1', `[${canary}]=1`, `${canary}=%`]),
    );
  }
  return pairs.length === 0
    ? ''
    : `?${pairs.join('&')}`
        .replaceAll('%3C%3C', '<<')
        .replaceAll('%3E%3E', '>>')
        .replaceAll(/<<(\w+)%3A/g, '<<$1:');
}

/** Providers' paths name a payment by its token. */
function pathOf({ path }: Target, chance: Chance, canary: string): string {
  const reported = chance.oneIn(4) ? canary : placeholder('token', chance.below(400));
  const named = path.replaceAll(
    /:\w+/g,
    chance.oneIn(8) ? chance.pick(['%00', '..%2f', '%ff', canary]) : reported,
  );
  if (!chance.oneIn(40)) return named;
  return chance.pick([
    `${named}/${canary}`,
    `//${canary}:99x${named}`,
    named.toUpperCase(),
    `${named}/%zz${canary}`,
  ]);
}

/** The request of that number. It does not depend on earlier ones. */
export function requestOf(targets: readonly Target[], seed: number, index: number): FuzzRequest {
  const chance = chanceOf(seed, index);
  const canary = `cnry${seed.toString(36)}z${index.toString(36)}q${chance.word(4)}`;
  const target = chance.pick(targets);
  const input =
    target.kind === 'endpoint'
      ? inputOf(target, chance, canary)
      : forgedNotification(target.rail, chance, canary);
  const inQuery = target.method === 'GET' || chance.oneIn(10);
  const path = pathOf(target, chance, canary) + (inQuery ? queryOf(input, chance, canary) : '');
  const method = chance.oneIn(30)
    ? chance.pick(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PATCH'])
    : target.method;
  const hasBody =
    method === 'POST' || (method !== 'GET' && method !== 'HEAD' && method !== 'TRACE' && chance.oneIn(2));
  return {
    index,
    route: `${target.method} ${target.path}`,
    kind:
      path.startsWith(target.path.split(':')[0] ?? '') && !path.startsWith('//') ? target.kind : 'unknown',
    method,
    path,
    headers: headersOf(target, chance, canary),
    ...(hasBody && { body: bytesOf(input, chance, canary).toString('base64') }),
    canary,
  };
}

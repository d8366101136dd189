/**
 * The tables in the guides of the rails, generated from the rails' own definitions: `<!-- table: timing stk deposit
 * -->`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorResponses, type ErrorCode } from '../../src/domain/errors';
import { nextSteps, type NextStepFields } from '../../src/domain/next-steps';
import { isFinal, type PaymentKind, type PaymentState } from '../../src/domain/payment';
import { voucherLifetimeMs } from '../../src/domain/voucher';
import type { AnyEndpoint } from '../../src/rail-kit/endpoint';
import type { Rail } from '../../src/rail-kit/rail';
import type { PaymentRow } from '../../src/store/tables';
import { describedRails, servedApi } from './served-api';
import type { Description } from './reference';
import { remedies } from './remedies';
import { exampleBody, fieldRows } from './schema-rows';
import { inWords, timingRows } from './timing';

/** A payment with only a state. */
const paymentIn = (kind: PaymentKind, state: PaymentState) =>
  ({ kind, state, details: {}, failure_code: null, result_code: null, created_at: new Date() }) as PaymentRow;

/** @returns the named table, as markdown. @throws if there is none. */
export function guideTables(description: Description, root: string): (name: string) => string {
  const rails = describedRails();
  const kinds: Record<string, (rest: string) => string> = {
    states: (of) => stateTable(of, railOf(rails, of)),
    reasons: (of) => reasonTable(of, railOf(rails, of)),
    timing: (of) => (of === 'voucher' ? voucherTiming() : timing(of, railOf(rails, of))),
    fields: (schema) => fieldTable(schema, description),
    webhook: (id) => webhookExample(id, description),
    'callback-types': () => callbackTypes(description),
    access: () => accessTable(),
    denied: () => deniedTable(),
    'client-webhooks': (language) => clientWebhooks(join(root, 'packages', 'clients', language, 'README.md')),
  };
  return (name) => {
    const [kind = '', rest = ''] = name.split(/ (.*)/);
    const make = kinds[kind];
    if (!make) throw new Error(`there is no table ${name}`);
    return make(rest);
  };
}

function railOf(rails: readonly Rail[], of: string): Rail {
  const rail = rails.find(({ name }) => name === of.split(' ')[0]);
  if (!rail) throw new Error(`there is no rail ${of}`);
  return rail;
}

const kindIn = (of: string) => of.split(' ')[1] as PaymentKind;
const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');
const code = (text: string) => `\`${text}\``;

/** `|` would start another cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head: string[], rows: string[][]) =>
  ['', head, head.map(() => '---'), ...rows, '']
    .map((row) => (typeof row === 'string' ? row : `| ${row.map(cell).join(' | ')} |`))
    .join('\n');

function stateTable(of: string, rail: Rail): string {
  const reported = rail.description.states[kindIn(of)];
  if (!reported) throw new Error(`there are no states of ${of}`);
  const rows = reported.comesTo.map((state) => {
    const payment = paymentIn(kindIn(of), state);
    const step = rail.nextStep?.(payment) as NextStepFields;
    return [
      ...reported.reads.map(([, read]) => code(read(payment))),
      ...[code(state), yesOrNo(isFinal(state)), step.next_step.en, yesOrNo(step.next_step.safe_to_repeat)],
    ];
  });
  const words = reported.reads.map(([word]) => code(word));
  return table(
    [...words, '`state` of the payment', 'final', 'text for the customer', 'safe to try again'],
    rows,
  );
}

/** Numbers in numerical order, then words in alphabetical order. */
const byCode = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

function reasonTable(of: string, { description: { reasons, meaningOf } }: Rail): string {
  const rows = Object.entries(reasons[kindIn(of)])
    .sort(([a], [b]) => byCode(a, b))
    .map(([reason, step]) => {
      const { en, safe } = nextSteps[step];
      const means = meaningOf ? [meaningOf(reason)] : [];
      return [code(reason), ...means, en, yesOrNo(safe)];
    });
  const what = meaningOf ? ['what it means'] : [];
  return table(['code', ...what, 'text for the customer', 'safe to try again'], rows);
}

function timing(of: string, { operations }: Rail): string {
  const operation = operations[kindIn(of)];
  if (!operation) throw new Error(`there is no ${of}`);
  return table(['when', 'what happens'], timingRows(operation));
}

const voucherTiming = () =>
  table(
    ['when', 'what happens'],
    [[`after ${inWords(voucherLifetimeMs)}`, 'It expires, and its money returns to the wallet.']],
  );

/** Keys are sent as headers. */
const credentials = ['api_key', 'api_secret'];

function fieldTable(schema: string, { components: { schemas } }: Description): string {
  if (!schemas[schema]) throw new Error(`there is no schema ${schema}`);
  const rows = fieldRows({ $ref: `#/components/schemas/${schema}` }, schemas)
    .filter(({ name, about }) => !credentials.includes(name) && about !== 'Not accepted here')
    .map(({ name, isRequired, about, limits, example }) => [
      code(name),
      [isRequired ? 'Required' : '', about, limitInWords(limits)].filter((text) => text !== '').join('. '),
      example && code(example),
    ]);
  return table(['field', 'meaning', 'example'], rows);
}

/** Short lengths are those of ids and codes, for which an example says more. */
function limitInWords(limits: string): string {
  if (limits.startsWith('"')) return `One of ${limits.split(';')[0] ?? ''}`;
  const length = Number(/maximum characters: (\d+)/.exec(limits)?.[1] ?? 0);
  return length < 50 ? '' : `At most ${String(length)} characters`;
}

const nameOfCallbackType = 'X-Callback-Type';

/** The webhooks of each `X-Callback-Type`, one type per row. */
function callbackTypes({ webhooks }: Description): string {
  const rows = new Map<string, string[]>();
  for (const { post } of Object.values(webhooks)) {
    const header = post.parameters?.find((one) => 'name' in one && one.name === nameOfCallbackType);
    const types = header && 'name' in header ? (header.schema?.['enum'] as string[]) : [];
    for (const type of types) rows.set(type, [...(rows.get(type) ?? []), post.summary]);
  }
  const reported = [...rows].map(([type, summaries]) => [code(type), summaries.join('; ')]);
  return table([code(nameOfCallbackType), 'event'], reported);
}

function webhookExample(id: string, { webhooks, components: { schemas } }: Description): string {
  const schema = webhooks[id]?.post.requestBody?.content['application/json']?.schema;
  if (!schema) throw new Error(`there is no webhook ${id}`);
  const required = schemas[String(schema['$ref']).split('/').at(-1) ?? '']?.['required'];
  // Optional fields would contradict the other fields.
  const body = exampleBody(schema, schemas, (name) => !Array.isArray(required) || required.includes(name));
  const reported = JSON.stringify(
    body,
    (name, value: unknown) => (name.startsWith('failure_') ? null : value),
    2,
  );
  return `\n\`\`\`json\n${reported}\n\`\`\`\n`;
}

/** The ways to identify oneself, each with its endpoints. Most endpoints take headers only, and are not listed. */
function accessTable(): string {
  const endpoints = servedApi().flatMap((part) => part.endpoints);
  const paths = (access: AnyEndpoint['access'], method?: string) =>
    endpoints
      .filter((one) => one.access === access && (method === undefined || one.method === method))
      .map((one) => code(one.path))
      .join(', ');
  return table(
    ['calls', 'accept'],
    [
      [paths('keys', 'POST'), 'the two headers, or keys in the body'],
      [paths('merchant_id'), '`merchant_id` in the body, and also the two headers if you send them'],
      [paths('anyone'), 'no keys: its `order_tracking_id` is known only to you and the customer'],
      ['all others', 'the two headers'],
    ],
  );
}

/** A missing secret is 400 on the wallet rail (specification, Errors, Wallet checkout). */
const isDenied = (errorCode: ErrorCode) =>
  errorCode === 'CREDENTIALS_MISSING' ||
  // Only providers sign what they send us.
  ([401, 403].includes(errorResponses[errorCode].status) && errorCode !== 'INVALID_SIGNATURE');

function deniedTable(): string {
  const codes = (Object.keys(errorResponses) as ErrorCode[]).filter(isDenied);
  const rows = codes.map((errorCode) => {
    const { cause, remedy } = remedies[errorCode];
    const link = `[${code(errorCode)}](../errors.md#${errorCode})`;
    return [link, String(errorResponses[errorCode].status), cause, remedy];
  });
  return table(['code', 'status', 'cause', 'what to do'], rows);
}

/** How a client verifies a webhook in each framework: the table of its README, and what explains it. */
function clientWebhooks(readme: string): string {
  const [, part] = /\n(\| framework [^]*?)\n\nDeliver the order /.exec(readFileSync(readme, 'utf8')) ?? [];
  if (part === undefined) throw new Error(`${readme} has no table of frameworks`);
  return `\n${part}\n`;
}

/** The tables in the guides of the rails, made of what the rails themselves run on: `<!-- table: timing stk deposit -->`. */
import { nextSteps, type NextStepTold } from '../../src/domain/next-steps';
import { isFinal, type PaymentKind, type PaymentState } from '../../src/domain/payment';
import { voucherLifetimeMs } from '../../src/domain/voucher';
import type { Rail } from '../../src/rail-kit/rail';
import type { PaymentRow } from '../../src/store/tables';
import { describedRails } from './served-api';
import type { Description } from './reference';
import { exampleBody, fieldRows } from './schema-rows';
import { inWords, timingRows } from './timing';

/** A payment of which nothing is known but its state. */
const paymentIn = (kind: PaymentKind, state: PaymentState) =>
  ({ kind, state, details: {}, failure_code: null, result_code: null, created_at: new Date() }) as PaymentRow;

/** @returns the table of a name, as markdown. @throws where there is none. */
export function guideTables(description: Description): (name: string) => string {
  const rails = describedRails();
  const kinds: Record<string, (rest: string) => string> = {
    states: (of) => stateTable(of, railOf(rails, of)),
    reasons: (of) => reasonTable(of, railOf(rails, of)),
    timing: (of) => (of === 'voucher' ? voucherTiming() : timing(of, railOf(rails, of))),
    fields: (schema) => fieldTable(schema, description),
    webhook: (id) => webhookExample(id, description),
    'callback-types': () => callbackTypes(description),
  };
  return (name) => {
    const [kind = '', rest = ''] = name.split(/ (.*)/);
    const make = kinds[kind];
    if (!make) throw new Error(`no table is called ${name}`);
    return make(rest);
  };
}

function railOf(rails: readonly Rail[], of: string): Rail {
  const rail = rails.find(({ name }) => name === of.split(' ')[0]);
  if (!rail) throw new Error(`no rail is called ${of}`);
  return rail;
}

const kindIn = (of: string) => of.split(' ')[1] as PaymentKind;
const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');
const code = (text: string) => `\`${text}\``;

/** `|` would begin another cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head: string[], rows: string[][]) =>
  ['', head, head.map(() => '---'), ...rows, '']
    .map((row) => (typeof row === 'string' ? row : `| ${row.map(cell).join(' | ')} |`))
    .join('\n');

function stateTable(of: string, rail: Rail): string {
  const told = rail.description.states[kindIn(of)];
  if (!told) throw new Error(`no states are told of ${of}`);
  const rows = told.comesTo.map((state) => {
    const payment = paymentIn(kindIn(of), state);
    const step = rail.nextStep?.(payment) as NextStepTold;
    return [
      ...told.reads.map(([, read]) => code(read(payment))),
      ...[code(state), yesOrNo(isFinal(state)), step.next_step.en, yesOrNo(step.next_step.safe_to_repeat)],
    ];
  });
  const words = told.reads.map(([word]) => code(word));
  return table([...words, '`state` of the payment', 'final', 'what to show', 'safe to ask again'], rows);
}

/** Numbers in their order, then words in theirs. */
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
  return table(['code', ...what, 'what to show', 'safe to ask again'], rows);
}

function timing(of: string, { operations }: Rail): string {
  const operation = operations[kindIn(of)];
  if (!operation) throw new Error(`there is no ${of}`);
  return table(['when', 'what happens'], timingRows(operation));
}

const voucherTiming = () =>
  table(
    ['when', 'what happens'],
    [[`after ${inWords(voucherLifetimeMs)}`, 'It expires, and its money is back in the wallet.']],
  );

/** Keys go into the headers. */
const credentials = ['api_key', 'api_secret'];

function fieldTable(schema: string, { components: { schemas } }: Description): string {
  if (!schemas[schema]) throw new Error(`no schema is called ${schema}`);
  const rows = fieldRows({ $ref: `#/components/schemas/${schema}` }, schemas)
    .filter(({ name, about }) => !credentials.includes(name) && about !== 'Not taken here')
    .map(({ name, isRequired, about, limits, example }) => [
      code(name),
      [isRequired ? 'Required' : '', about, limitInWords(limits)].filter((text) => text !== '').join('. '),
      example && code(example),
    ]);
  return table(['field', 'what it is', 'such as'], rows);
}

/** Short lengths are those of ids and codes, of which an example tells more. */
function limitInWords(limits: string): string {
  if (limits.startsWith('"')) return `One of ${limits.split(';')[0] ?? ''}`;
  const length = Number(/at most, characters: (\d+)/.exec(limits)?.[1] ?? 0);
  return length < 50 ? '' : `At most ${String(length)} characters`;
}

const nameOfCallbackType = 'X-Callback-Type';

/** Which webhooks have which `X-Callback-Type`, one type a row. */
function callbackTypes({ webhooks }: Description): string {
  const rows = new Map<string, string[]>();
  for (const { post } of Object.values(webhooks)) {
    const header = post.parameters?.find((one) => 'name' in one && one.name === nameOfCallbackType);
    const types = header && 'name' in header ? (header.schema?.['enum'] as string[]) : [];
    for (const type of types) rows.set(type, [...(rows.get(type) ?? []), post.summary]);
  }
  const told = [...rows].map(([type, summaries]) => [code(type), summaries.join('; ')]);
  return table([code(nameOfCallbackType), 'what it tells'], told);
}

function webhookExample(id: string, { webhooks, components: { schemas } }: Description): string {
  const schema = webhooks[id]?.post.requestBody?.content['application/json']?.schema;
  if (!schema) throw new Error(`no webhook is called ${id}`);
  const required = schemas[String(schema['$ref']).split('/').at(-1) ?? '']?.['required'];
  // What is there only now and then would contradict the rest.
  const body = exampleBody(schema, schemas, (name) => !Array.isArray(required) || required.includes(name));
  const told = JSON.stringify(
    body,
    (name, value: unknown) => (name.startsWith('failure_') ? null : value),
    2,
  );
  return `\n\`\`\`json\n${told}\n\`\`\`\n`;
}

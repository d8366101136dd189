/** Of a payment in a sandbox whose time was moved, everybody reads the same times, in order: the real ones. */
import { parse } from 'csv-parse/sync';
import { DateTime } from 'luxon';
import { secretBox } from '../../../src/merchants/secrets';
import { runCli } from '../../../src/cli/run-cli';
import { openSession } from '../../../src/cli/session';
import { nextStepAmong } from '../../../src/payments/read/next-step';
import type { PaymentRow } from '../../../src/store/tables';
import { createPerson } from '../../support/users/users-support';
import { call as visit, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';
import * as momo from '../../support/rails/momo/payments';
import * as stk from '../../support/rails/stk/payments';
import { simulatorControl } from '../../support/rails/simulator-control';
import { expectClean, railsOfEnv } from '../../support/expect-clean';
import { call } from '../../support/merchant-client';
import { atRest, ended } from '../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

const zone = 'Africa/Nairobi';
let stack: Stack;
let merchant: TestMerchant;
let portal: TestPortal;
let token: string;
let begun: number;
/** Written by processes whose clocks are one here; whole seconds are cut. */
const slackMs = 2_000;

beforeAll(async () => {
  stack = await startStack({ timeScale: 1 });
  merchant = await stack.createMerchant();
  const box = secretBox([{ id: 'test', key: Buffer.alloc(32) }]);
  const acts = {
    nextStep: (payment: PaymentRow) => nextStepAmong(railsOfEnv(stack.env).all, payment).next_step.code,
    refundable: () => Promise.resolve({ how: 'no' }),
    mayCancel: () => false,
  } as never;
  portal = await startPortal({
    of: { test: { url: stack.env['DATABASE_URL'] ?? '', db: stack.db }, box, acts },
  });
  const { merchantId } = merchant;
  token = await sessionOf(
    portal,
    await createPerson(stack.db, 'owner@duka.example', { merchantId, role: 'owner' }),
  );
  // As a developer does who tries what comes after a month, and goes on.
  await malipo('sandbox', 'advance', '31d');
  begun = Date.now();
});
afterAll(async () => {
  await portal.stop();
  await expectClean(stack);
  await stack.stop();
});

async function malipo(...args: string[]): Promise<string> {
  let [out, err] = ['', ''];
  const io = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const code = await runCli(args, { ...io, env: stack.env, folder: '/', openSession });
  if (code !== 0) throw new Error(`malipo ${args.join(' ')}: ${err}${out}`);
  return out;
}

/** What is still to come, by its name, has another time. */
const toCome = /^(?:next_|guarded_until|forget_|expires_|until)/;
const reported = (value: unknown): string =>
  JSON.stringify(value, (name, inner: unknown) => (toCome.test(name) ? undefined : inner));

/** Every moment that a text tells, in milliseconds since 1970. */
function momentsIn(text: string): number[] {
  const iso = text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g) ?? [];
  const walls = text.match(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: UTC)?/g) ?? [];
  const compact = text.match(/(?<=")20\d{12}(?=")/g) ?? [];
  return [
    ...iso.map((at) => Date.parse(at)),
    ...walls.map((at) =>
      at.endsWith(' UTC')
        ? Date.parse(`${at.slice(0, 10)}T${at.slice(11, 19)}Z`)
        : DateTime.fromSQL(at, { zone }).toMillis(),
    ),
    ...compact.map((at) => DateTime.fromFormat(at, 'yyyyMMddHHmmss', { zone }).toMillis()),
  ];
}

function expectReal(where: string, text: string): void {
  const moments = momentsIn(text);
  expect([where, moments.length > 0]).toEqual([where, true]);
  for (const at of moments) {
    const isReal = at >= begun - slackMs && at <= Date.now() + slackMs;
    expect([where, new Date(at).toISOString(), isReal]).toEqual([where, expect.anything(), true]);
  }
}

/** Reads one payment wherever it can be read. */
async function readEverywhere(id: string, currency: string): Promise<Record<string, string>> {
  const { merchantId } = merchant;
  const api = async (path: string) =>
    (await call(stack, merchant, 'GET', path)).body as Record<string, unknown>;
  const only = (list: unknown) => (list as { payment_id: string }[]).filter((one) => one.payment_id === id);
  const page = async (path: string) => {
    const { status, text } = await visit(portal, { method: 'GET', path: `/m/${merchantId}${path}`, token });
    if (status !== 200) throw new Error(`${path} answered ${String(status)}`);
    return text;
  };
  const today = DateTime.now().setZone(zone).toISODate() ?? '';
  const filter = `from=${today}&until=${today}`;
  const query = new URLSearchParams({ from: today, to: today, currency }).toString();
  const utc = (text: string) => (text.match(/title="[\d :-]+ UTC"/g) ?? []).join('\n');
  const rowsOf = (file: string) =>
    parse<Record<string, string>>(file, { columns: true, bom: true }).filter(
      (row) => row['payment_id'] === id,
    );
  const rowOf = async (path: string) =>
    utc((await page(path)).split('<tr').find((row) => row.includes(`/payments/${id}`)) ?? '');
  return {
    'API payment': reported(await api(`/api/v1/payments/${id}`)),
    'API list of today': reported(
      only(
        (await api(`/api/v1/payments?created_from=${new Date(begun - slackMs).toISOString()}`))['payments'],
      ),
    ),
    'API events': reported(only((await api('/api/v1/events'))['events'])),
    'API webhooks': reported(only((await api('/api/v1/webhooks'))['webhooks'])),
    'API statement': reported(only((await api(`/api/v1/statement?${query}`))['movements'])),
    'webhooks as sent': merchant.receiver.received
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => body.includes(id))
      .join('\n'),
    'CLI show': reported(JSON.parse(await malipo('payment', 'show', id, '--json'))),
    'portal list': await rowOf(`/payments?${filter}`),
    'portal page': utc(await page(`/payments/${id}`)),
    'portal payments file': reported(rowsOf(await page(`/payments/file?${filter}`))),
    'portal statement file': reported(rowsOf(await page(`/statements/file?${query}`))),
  };
}

function expectInOrder(times: (string | null | undefined)[]): void {
  const moments = times.map((at) => Date.parse(at ?? ''));
  expect(moments).toEqual(moments.toSorted((a, b) => a - b));
}

async function expectOneSetOfTimes(id: string, currency: string): Promise<void> {
  const read = await readEverywhere(id, currency);
  for (const [where, text] of Object.entries(read)) expectReal(where, text);
  const { payment } = JSON.parse(read['API payment'] ?? '') as {
    payment: Record<'created_at' | 'updated_at' | 'finished_at', string> & { timeline: { at: string }[] };
  };
  const { created_at, updated_at, finished_at, timeline } = payment;
  expectInOrder([created_at, ...timeline.map(({ at }) => at), updated_at]);
  expect([timeline[0]?.at, timeline.at(-1)?.at]).toEqual([created_at, finished_at]);
}

it('a payment of after the move, that is moved itself, is dated as it happened wherever it is read', async () => {
  const { payment_id: id } = await stk.accepted(stack, merchant, { phone_number: '254708374149' });
  await malipo('sandbox', 'advance', '61s');
  await ended(stack.db, id, ['succeeded']);
  await atRest(stack.db, id);
  await expectOneSetOfTimes(id, 'KES');
});

it('a payment for which alone a day has passed, too', async () => {
  const answer = await momo.post(stack, merchant, 'deposit', momo.transferBody());
  const id = momo.idOf(answer);
  await malipo('sandbox', 'advance', '1d', '--payment', id);
  await ended(stack.db, id, ['succeeded']);
  await atRest(stack.db, id);
  await expectOneSetOfTimes(id, 'ZMW');
});

it('the overview and the file of all payments have what the list has, however often time is moved', async () => {
  const { merchantId } = merchant;
  await malipo('sandbox', 'advance', '10d');
  const { payment_id: id } = await stk.accepted(stack, merchant, { phone_number: '254711223344' });
  await malipo('sandbox', 'advance', '10d');
  const path = `/m/${merchantId}/payments/file`;
  const file = await visit(portal, { method: 'GET', path, token });
  const rows = parse<Record<string, string>>(file.text, { columns: true, bom: true });
  const all = await stack
    .db('payments')
    .where({ merchant_id: merchantId })
    .orderBy('created_at', 'desc')
    .pluck('payment_id');
  expect(rows.map((row) => row['payment_id'])).toEqual(all);
  expect(all).toContain(id);
  const figures = await visit(portal, { method: 'GET', path: `/m/${merchantId}`, token });
  expect(figures.status).toBe(200);
  await ended(stack.db, id, ['failed']);
  await atRest(stack.db, id);
});

it('what its provider dates is dated as it happened, and the simulator says so', async () => {
  const noted = await simulatorControl(stack.simulatorUrl, 'stk').exchanges();
  expectReal('what the simulator has noted', JSON.stringify(noted.map((one) => (one as { at?: string }).at)));
});

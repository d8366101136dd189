/** A portal with one of everything that its pages show, and the users who see them. */
import { openCase } from '../../../src/controls/cases';
import { eventTypes } from '../../../src/domain/event';
import { makeBatch } from '../../../src/portal/payouts/batches';
import { inTransaction } from '../../../src/store/transaction';
import { invite } from '../../../src/users/invite';
import { makeLink } from '../../../src/users/links';
import type { Person } from '../../../src/users/users';
import { addEndpoint } from '../../../src/webhooks/endpoints/endpoints';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { asOurs } from '../../support/own-rows';
import {
  aKeyThatWaits,
  anUnmatchedReceipt,
  aWebhook,
  createPlatformPerson,
  sessionOf,
  type TestPortal,
} from '../../support/portal/portal-support';
import { aMerchant, createPerson, giveSecondFactor } from '../../support/users/users-support';
import { deposit, createDuplicate, payOut, testContext } from '../../support/verify/books-support';

export const onlookers = ['nobody', 'half', 'secured', 'viewer', 'owner', 'operator'] as const;
export type Onlooker = (typeof onlookers)[number];

export interface Scene {
  /** The ids by their parameter in the paths, as in `/m/:merchant`. */
  ids: Readonly<Record<string, string>>;
  /** The token of a new session; undefined for `nobody`. */
  tokenOf(who: Onlooker): Promise<string | undefined>;
}

/** @returns the path with its ids filled in. */
export function pathIn({ ids }: Scene, path: string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`the scene has no ${name}`);
    return id;
  });
}

export async function setScene(portal: TestPortal): Promise<Scene> {
  const { db, box } = portal;
  const merchant = await aMerchant(db, box, 'Duka la Amina');
  const engine = testContext(portal.test.db);
  const customer = { phone_number: '254708374149', account_reference: 'INV-2041' };
  const [paid, again] = await createDuplicate(engine, merchant, 'INV-2040');
  const waiting = await deposit(engine, { merchantId: merchant, with: customer }, 'initiating', 'pending');
  await fundFloat(portal, merchant);
  const payout = await payOut(
    engine,
    { merchantId: merchant, kind: 'payout', amountMinor: 2_500n },
    'failed',
  );
  await openCase(portal.test.db, waiting, {
    reason: 'amount_differs',
    detail: 'asked 100.00, told 90.00 KES',
  });
  const opened = await db('cases').where({ payment_id: waiting }).first('case_id');
  const webhook = await deadWebhook(portal, merchant, paid);
  // The page of this webhook fails on its body.
  const broken = await aWebhook(db, { merchantId: merchant, paymentId: again });
  await portal.test.db('outbox').where({ webhook_id: broken }).update({ body: 'no JSON' });
  const persons = await cast(portal, merchant);
  const reported = { url: 'https://books.example.org/malipo', types: eventTypes.slice(0, 2) };
  await addEndpoint({ db, box, environment: 'sandbox' }, merchant, reported);
  const ids = {
    ...{ merchant, shop: merchant, empty: await aMerchant(db, box, 'Duka jipya') },
    ...{ paid, again, waiting, payout, webhook, broken, case: opened?.case_id ?? '' },
    batch: await aBatch(portal, merchant, persons.owner),
    confirmation: await aKeyThatWaits(portal, merchant, persons.half),
    unmatched: await anUnmatchedReceipt(portal, { phone: '+254708374149' }),
    ...(await linksOf(portal, merchant)),
  };
  return {
    ids,
    async tokenOf(who) {
      if (who === 'nobody') return undefined;
      const person = persons[who === 'secured' ? 'half' : who];
      return sessionOf(portal, person, { passedSecond: who === 'secured' });
    },
  };
}

async function cast(
  portal: TestPortal,
  merchantId: string,
): Promise<Record<Exclude<Onlooker, 'nobody' | 'secured'>, Person>> {
  const { db, box } = portal;
  const member = (name: string, role: 'owner' | 'viewer') =>
    createPerson(db, `${name}@duka.example`, { merchantId, role });
  const half = await member('half', 'owner');
  await giveSecondFactor(db, box, half, Date.now() - 120_000);
  return {
    half,
    viewer: await member('viewer', 'viewer'),
    owner: await member('owner', 'owner'),
    operator: await createPlatformPerson(portal, 'operator', 'asha'),
  };
}

async function linksOf({ db }: TestPortal, merchantId: string) {
  return inTransaction(db, async (trx) => {
    const member = { merchantId, role: 'finance' } as const;
    const wish = { email: 'new@duka.example', locale: 'en', by: 'test', member } as const;
    const { token: invited } = await invite(trx, wish, () => undefined);
    const user = await trx('users').where({ email: 'owner@duka.example' }).first('user_id');
    return { invited, reset: await makeLink(trx, { kind: 'reset', userId: user?.user_id ?? '' }) };
  });
}

function fundFloat({ test }: TestPortal, merchantId: string) {
  return transferByHand(test.db, {
    from: { class: 'bank', currency: 'KES' },
    to: { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
    amountMinor: 1_000_000n,
    reason: 'funded by bank transfer',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
}

async function deadWebhook({ db }: TestPortal, merchantId: string, paymentId: string): Promise<string> {
  const id = await aWebhook(db, { merchantId, paymentId });
  await db('outbox').where({ webhook_id: id }).update({ state: 'dead', tries: 9, settled_at: new Date() });
  await db('webhook_deliveries').insert({
    ...{ webhook_id: id, n: 1, url: 'https://shop.example.com/hook', http_status: 503, duration_ms: 85 },
    ...{ error: 'HTTP 503', response_excerpt: 'Service Unavailable', at: new Date() },
  });
  return id;
}

async function aBatch({ db, test }: TestPortal, merchantId: string, { userId }: Person): Promise<string> {
  const row = {
    phone_number: '+254708374149',
    amount: '1200.00',
    currency: 'KES',
    account_reference: 'JAN-1',
  };
  const made = { merchantId, rail: 'momo', name: 'Salaries, January', rows: [row], userId };
  const id = await inTransaction(db, (trx) => makeBatch(trx, made));
  await test.db('payout_batches').where({ batch_id: id }).update({ state: 'waiting', asked_at: new Date() });
  await asOurs(db, 'payout_batches', id);
  return id;
}

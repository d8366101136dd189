/** Runs a sequence, and checks everything after each step. */
import { byHand } from '../../sandbox/transfer-by-hand';
import { entrancesOf } from '../../../src/domain/payment';
import { PaymentError } from '../../../src/domain/errors';
import { openAccount, type AccountKey } from '../../../src/ledger/accounts';
import { placeHold } from '../../../src/ledger/holds';
import { postEntry, type Entry } from '../../../src/ledger/post-entry';
import { submitPayment } from '../../../src/payments/submit/submit-payment';
import { applyTransition, prepareTransition } from '../../../src/payments/transition/transition';
import { storeNotification } from '../../../src/payments/resolve/inbox';
import { inTransaction } from '../../../src/store/transaction';
import type { PaymentRow } from '../../../src/store/tables';
import { expectEverythingRight, tablesOf } from './invariants';
import { creationTimeOf, providerResultOf, type Step } from './operations';
import { accept, bank, currency, float, checkAt, rail, wallet, type World } from './world';

export interface Lived {
  done: number;
  refused: number;
  /** The states that its payments reached. */
  states: string[];
}

interface Payments {
  world: World;
  /** The transfers so far, for posting them again. */
  posted: Entry[];
  /** The money in each wallet or float from other sources than payments, by merchant and class. */
  funded: Map<string, bigint>;
}

/** A rejected step, which must have left nothing behind. */
class Refused extends Error {}

/** @throws with the number of the step after which something was wrong. */
export async function live(world: World, steps: readonly Step[]): Promise<Lived> {
  const history: Payments = { world, posted: [], funded: new Map() };
  const { db } = world.context;
  const lived: Lived = { done: 0, refused: 0, states: [] };
  let before = await tablesOf(db);
  for (const [index, step] of steps.entries()) {
    const where = `step ${String(index + 1)}, ${JSON.stringify(step)}`;
    const isDone = await take(history, step, index);
    const after = await tablesOf(db);
    if (isDone) lived.done += 1;
    else {
      lived.refused += 1;
      const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
      if (changed.length > 0) throw new Error(`${where} was rejected, and has changed ${changed.join(', ')}`);
    }
    before = after;
    await expectEverythingRight(world, history.funded).catch((error: unknown) => {
      throw new Error(`after ${where}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  const ends = await db('payments').distinct('state');
  return { ...lived, states: ends.map(({ state }) => state) };
}

/** @returns false if it was rejected. @throws for what should never happen. */
async function take(history: Payments, step: Step, index: number): Promise<boolean> {
  try {
    await does[step.do](history, step as never, index);
    return true;
  } catch (error) {
    if (error instanceof Refused || error instanceof PaymentError) return false;
    throw error;
  }
}

type Doing = {
  [Name in Step['do']]: (
    history: Payments,
    step: Extract<Step, { do: Name }>,
    index: number,
  ) => Promise<unknown>;
};

const does: Doing = {
  async transfer({ world, posted, funded }, { from, to, amount }, index) {
    const { db } = world.context;
    const [source, target] = [placeOf(world, from), placeOf(world, to)];
    if (source.name === target.name) throw new Refused();
    const [account, other] = [await openAccount(db, source.key), await openAccount(db, target.key)];
    const entry: Entry = {
      source: { type: 'transfer', id: `step-${String(index)}`, leg: 'move' },
      reason: 'a step',
      whenShort: 'BALANCE_INSUFFICIENT',
      lines: [
        { account, amountMinor: BigInt(-amount) },
        { account: other, amountMinor: BigInt(amount) },
      ],
    };
    await inTransaction(db, (trx) => byHand(trx, () => postEntry(trx, entry)));
    posted.push(entry);
    for (const [place, sign] of [
      [source, -1n],
      [target, 1n],
    ] as const)
      funded.set(place.name, (funded.get(place.name) ?? 0n) + sign * BigInt(amount));
  },
  async transfer_again({ world: { context }, posted }, { n }) {
    const entry = posted[n % Math.max(1, posted.length)];
    if (!entry) throw new Refused();
    const answer = await inTransaction(context.db, (trx) => postEntry(trx, entry));
    if (answer !== 'already_posted') throw new Error('an entry was posted twice');
    throw new Refused();
  },
  async accept({ world }, { kind, merchant, amount, of }) {
    const merchantId = world.merchants[merchant];
    const deposits = (await paymentsOf(world)).filter((one) => isDepositOf(one, merchantId));
    const deposit = kind === 'refund' ? deposits[of % deposits.length] : undefined;
    await accept(world, { kind, merchantId, amountMinor: BigInt(amount), deposit });
  },
  async send({ world }, { n, answer }) {
    const { payment_id: id } = await paymentOf(world, n);
    world.provider.submissionResult = creationTimeOf(answer, `ref-${id}`);
    await submitPayment(world.context, id);
  },
  async notify({ world }, { n, statusText }, index) {
    const payment = await paymentOf(world, n);
    const body = `told-${String(index)}`;
    world.provider.reported.set(body, providerResultOf(statusText, payment));
    const reported = { kind: 'take', isProven: true, eventKey: body, body, payment } as const;
    await storeNotification(world.context, rail, '127.0.0.1', {
      ...reported,
      acknowledgement: { status: 200, body: {} },
    });
  },
  async check({ world }, { n, statusText, cause }) {
    const payment = await paymentOf(world, n);
    // No check is made for a payment that no provider has received.
    if (payment.state === 'received' || payment.state === 'initiating') throw new Refused();
    world.provider.answer = providerResultOf(statusText, payment);
    await checkAt(world, payment.payment_id, cause);
  },
  async transition({ world }, { n, to }) {
    const payment = await paymentOf(world, n);
    const { db } = world.context;
    // Other code makes legal transitions.
    if (entrancesOf(to).includes(payment.state)) throw new Refused();
    await prepareTransition(db, payment, to);
    const moving = inTransaction(db, (trx) =>
      applyTransition(trx, world.context, payment, { to, cause: 'step' }),
    );
    await expect(moving).rejects.toThrow(/cannot change from/);
    throw new Refused();
  },
  async hold_again({ world: { context, merchants } }, { n }) {
    const payment = await paymentOf({ context }, n);
    const { db } = context;
    const [from, reserved] = [
      await openAccount(db, float(merchants[0])),
      await openAccount(db, { class: 'wallet_reserved', merchantId: merchants[0], currency }),
    ];
    const holds = await db('holds').where({ payment_id: payment.payment_id });
    if (holds.length === 0) throw new Refused();
    const hold = { paymentId: payment.payment_id, from, reserved, amountMinor: 1n, whenShort } as const;
    await expect(inTransaction(db, (trx) => placeHold(trx, hold))).rejects.toThrow(/Duplicate entry/);
    throw new Refused();
  },
};

const whenShort = 'BALANCE_INSUFFICIENT';

const isDepositOf = ({ kind, merchant_id: owner }: PaymentRow, merchantId: string) =>
  kind === 'deposit' && owner === merchantId;

async function paymentOf({ context }: Pick<World, 'context'>, n: number): Promise<PaymentRow> {
  const payments = await paymentsOf({ context });
  const payment = payments[n % payments.length];
  if (!payment) throw new Refused();
  return payment;
}

/** The youngest first: most steps are about a recent payment. */
const paymentsOf = ({ context: { db } }: Pick<World, 'context'>): Promise<PaymentRow[]> =>
  db('payments').orderBy('payment_id', 'desc');

/** An account by its number, and the key of its expected balance. */
function placeOf({ merchants }: World, n: number): { name: string; key: AccountKey } {
  const places = [
    { name: 'bank', key: bank },
    ...merchants.flatMap((id) => [
      { name: `wallet ${id}`, key: wallet(id) },
      { name: `float ${id}`, key: float(id) },
    ]),
  ];
  return places[n % places.length] as (typeof places)[number];
}

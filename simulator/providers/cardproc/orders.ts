/** Orders: submitted, decided by a user on the page or by the control API, and reported at each change. */
import { randomUUID } from 'node:crypto';
import { decimalOf, type Success } from '../../books';
import type { Facts } from '../../faults';
import { unused } from '../../identifiers';
import type { ProviderContext } from '../../provider';
import { openSteps, type TimedStep } from '../../steps';
import { newConfirmationCode } from './identifiers';
import { ways, type Instrument, type Way } from './methods';
import { alternativesOf, notificationOf, type Reference } from './notification';
import type { Registrations } from './registrations';
import type { OrderRequest } from './requests';
import { scenarioOf } from './scenarios';

export interface Payment {
  method: string;
  /** Masked. */
  account: string;
  code: string;
  isCard: boolean;
  /** The amount that was paid, or tried. */
  amountCents: number;
}

export interface Order extends OrderRequest, Reference {
  /** The consumer key of its account. */
  account: string;
  createdAt: number;
  state: 'OPEN' | 'COMPLETED' | 'FAILED' | 'REVERSED';
  payment?: Payment;
  /** Decided, but not yet shown by the status call. */
  isBeingDecided?: true;
  isCancelled?: true;
  /** A payment can be refunded only once. */
  isRefundAsked?: true;
}

/** A change of an order. For money that goes back, with amount and reason. */
interface Change {
  state: Exclude<Order['state'], 'OPEN'>;
  payment?: Payment;
  back?: { kind: 'refund' | 'reversal'; amountCents: number };
}

interface Step extends TimedStep {
  becomes?: Change;
  isReported?: boolean;
}

export interface Attempt {
  way: Way;
  instrument: Instrument;
  succeeds: boolean;
}

export interface Orders {
  submit(account: string, request: OrderRequest): Order;
  find(trackingId: string): Order | undefined;
  findPaid(account: string, confirmationCode: string): Order | undefined;
  isUsed(account: string, merchantReference: string): boolean;
  /** Whether the same order was submitted before, with another number behind its id. */
  hasEarlierAttempt(account: string, merchantReference: string): boolean;
  /** Newest first. */
  open(): Order[];
  attempt(order: Order, attempt: Attempt): Order;
  cancel(order: Order): void;
  refund(order: Order, amountCents: number): void;
  /** How the status call shows partly refunded payments from now on. */
  showPartsAs(form: PartForm): void;
  reverse(order: Order): void;
  /** A notification although nothing has happened; for an order that does not exist, to every address. */
  forge(trackingId: string, merchantReference?: string): Promise<void>;
}

const REFUND_TAKES_MS = 5_000;

/**
 * How the status call shows a partial refund is not documented. It has no state and no field for a part, and `amount`
 * is what the customer paid. So it shows no change, unless the control API sets another form.
 */
export const partForms = ['completed', 'remainder', 'part'] as const;
export type PartForm = (typeof partForms)[number];

function afterRefund({ payment }: Order, amountCents: number, form: PartForm): Change {
  const back = { kind: 'refund', amountCents } as const;
  const restCents = (payment?.amountCents ?? 0) - amountCents;
  if (!payment || restCents === 0) return { state: 'REVERSED', back };
  if (form === 'completed') return { state: 'COMPLETED', payment, back };
  return form === 'remainder'
    ? { state: 'COMPLETED', payment: { ...payment, amountCents: restCents }, back }
    : { state: 'REVERSED', payment: { ...payment, amountCents }, back };
}

/**
 * @param registrations find an order's notification address
 * @param bookedAccount the account whose books are recorded; payments of other accounts concern only their merchants
 */
export function openOrders(
  context: ProviderContext,
  registrations: Registrations,
  bookedAccount: string,
): Orders {
  const { journal, clock, schedule, callbacks, books } = context;
  const orders = journal.collection<Order>('cardproc.orders');
  const settings = journal.collection<{ form: PartForm }>('cardproc.settings');
  const shownAs = () => settings.get('refunds')?.form ?? 'completed';
  const byCode = new Map<string, string>();
  const references = new Set<string>();
  const firstAttempts = new Set<string>();
  const keyOf = (account: string, reference: string) => `${account} ${reference}`;

  const index = ({ account, merchantReference, trackingId, payment }: Order) => {
    references.add(keyOf(account, merchantReference));
    firstAttempts.add(keyOf(account, withoutAttempt(merchantReference)));
    if (payment) byCode.set(payment.code, trackingId);
  };
  for (const order of orders.values()) index(order);
  const save = (order: Order): Order => {
    orders.put(order.trackingId, order);
    index(order);
    return order;
  };

  const change = (order: Order, { state, payment = order.payment, back }: Change): Order => {
    const { isBeingDecided: _, ...decided } = order;
    const changed = save({ ...decided, state, ...(payment && { payment }) });
    if (state === 'COMPLETED' && !back) book(changed, payment?.amountCents ?? 0);
    if (back) book(changed, back.amountCents, back.kind);
    return changed;
  };
  const book = (order: Order, amountCents: number, kind?: Success['kind']) => {
    const { account, trackingId, merchantReference, currency, payment, phone } = order;
    if (account !== bookedAccount) return;
    books.book({
      provider: 'cardproc',
      ...(kind && { kind }),
      reference: trackingId,
      receipt: payment?.code ?? '',
      callerReference: merchantReference,
      amount: decimalOf(BigInt(amountCents)),
      currency,
      ...(phone !== undefined && { phone }),
    });
  };
  const perform = async (trackingId: string, { becomes, isReported }: Step): Promise<void> => {
    const before = orders.get(trackingId);
    // A payment that was reversed meanwhile cannot be refunded as well.
    if (!before || (becomes && before.state === 'REVERSED')) return;
    const order = becomes ? change(before, becomes) : before;
    if (isReported) await notify(order);
  };
  const notify = async (order: Order): Promise<void> => {
    const registration = registrations.find(order.account, order.notificationId);
    if (!registration) return;
    const callback = notificationOf(registration, order);
    await callbacks.send(callback, factsOf(order), order.trackingId, alternativesOf(registration, order));
  };
  const steps = openSteps(schedule, 'cardproc.step', perform);
  const notifyLater = ({ trackingId, amountCents }: Order) =>
    steps.plan(
      trackingId,
      clock.now(),
      scenarioOf(amountCents).notifiedAfterMs.map((afterMs) => ({ afterMs, isReported: true })),
    );
  const paymentOf = (order: Order, { way, instrument, succeeds }: Attempt): Payment => {
    const { isCard } = ways[way];
    const differs = succeeds && scenarioOf(order.amountCents).paysOtherAmount;
    return {
      method: instrument.wire,
      account: instrument.account,
      code: unused(
        () => newConfirmationCode(isCard),
        (candidate) => byCode.has(candidate),
      ),
      isCard,
      amountCents: differs ? otherAmount(order.amountCents) : order.amountCents,
    };
  };

  return {
    submit(account, request) {
      const trackingId = randomUUID();
      return save({ ...request, account, trackingId, createdAt: clock.callersNow(), state: 'OPEN' });
    },
    find: (trackingId) => orders.get(trackingId),
    findPaid(account, confirmationCode) {
      const order = orders.get(byCode.get(confirmationCode) ?? '');
      return order?.account === account && order.payment?.code === confirmationCode ? order : undefined;
    },
    isUsed: (account, reference) => references.has(keyOf(account, reference)),
    hasEarlierAttempt: (account, reference) => firstAttempts.has(keyOf(account, withoutAttempt(reference))),
    open: () => [...orders.values()].filter(isPayable).reverse(),
    attempt(order, attempt) {
      const { knownAfterMs } = scenarioOf(order.amountCents);
      const payment = paymentOf(order, attempt);
      const becomes: Change = { state: attempt.succeeds ? 'COMPLETED' : 'FAILED', payment };
      const isKnown = knownAfterMs === 0;
      const decided = isKnown ? change(order, becomes) : save({ ...order, isBeingDecided: true });
      // The status call knows first. The notification follows, so that the customer does not wait for it.
      notifyLater(decided);
      if (!isKnown) steps.plan(order.trackingId, clock.now(), [{ afterMs: knownAfterMs, becomes }]);
      return decided;
    },
    cancel: (order) => void save({ ...order, isCancelled: true }),
    refund(order, amountCents) {
      const { trackingId } = save({ ...order, isRefundAsked: true });
      const becomes = afterRefund(order, amountCents, shownAs());
      const isReported = becomes.payment !== order.payment || becomes.state !== 'COMPLETED';
      steps.plan(trackingId, clock.now(), [{ afterMs: REFUND_TAKES_MS, becomes, isReported }]);
    },
    showPartsAs: (form) => settings.put('refunds', { form }),
    reverse(order) {
      const amountCents = order.payment?.amountCents ?? 0;
      notifyLater(change(order, { state: 'REVERSED', back: { kind: 'reversal', amountCents } }));
    },
    async forge(trackingId, merchantReference) {
      const order = orders.get(trackingId);
      const own = order && registrations.find(order.account, order.notificationId);
      const reference = merchantReference ?? order?.merchantReference ?? trackingId;
      for (const registration of own ? [own] : registrations.all()) {
        const forged = notificationOf(registration, { trackingId, merchantReference: reference });
        await callbacks.send({ ...forged, fault: 'forge' }, order ? factsOf(order) : {}, trackingId);
      }
    },
  };
}

/** The fields that a rule of the control API can match. */
export function factsOf({ merchantReference, phone = '', email = '' }: Order): Facts {
  return { merchant_reference: merchantReference, phone_number: phone, email_address: email };
}

/** A failed order can be tried again until the client cancels it. */
export function isPayable(order: Order): boolean {
  return isUnpaid(order) && !order.isCancelled;
}

export function isUnpaid({ state, isBeingDecided }: Order): boolean {
  return (state === 'OPEN' || state === 'FAILED') && !isBeingDecided;
}

function otherAmount(amountCents: number): number {
  return amountCents < 200 ? amountCents + 100 : amountCents - 100;
}

/** cp-7f3a1c-2 → cp-7f3a1c. */
function withoutAttempt(merchantReference: string): string {
  return merchantReference.replace(/-\d+$/, '');
}

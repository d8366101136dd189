/** A merchant's order_id identifies one payment forever (wallet checkout). A repeated request gets the same answer. */
import { createHash } from 'node:crypto';
import { PaymentError } from '../../domain/errors';
import type { Database, Transaction } from '../../store/database';
import { duplicateKeyOf } from '../../store/transaction';
import type { OrderIdRow, PaymentRow } from '../../store/tables';
import type { Call } from '../../rail-kit/endpoint';
import { getPaymentOrThrow } from '../read/payments';
import type { RailApi } from '../../rail-kit/rail';
import { invitesRepetition, orUnknown } from '../read/creation-errors';
import type { PaymentDraft } from '../../rail-kit/draft';

export interface OrderRequest {
  /** The namespace of the order ids: an order and a payout of one merchant may have the same id. */
  scope: string;
  orderId: string;
  /** The fields that decide whether two requests are the same. A missing field counts as null. */
  body: (string | undefined)[];
}

/**
 * Creates the payment of a merchant's order. The same request again gets the first one's payment, however many come
 * at once. Where the first payment was never started, it is created again.
 * @param draft is called only when there is a payment to create.
 * @throws PaymentError ORDER_ID_REUSED when the order_id belongs to another request.
 */
export async function createOrderOnce(
  api: Pick<RailApi, 'db' | 'accept' | 'answerAgain'>,
  call: Call,
  request: OrderRequest,
  draft: () => Promise<PaymentDraft>,
): Promise<PaymentRow> {
  const claim = claimOf(call, request);
  const again = async (payment: PaymentRow) => (await api.answerAgain(payment)).payment;
  try {
    const first = await findFirst(api.db, claim);
    if (first) return await again(first);
    const check = (trx: Transaction, paymentId: string) => writeClaim(trx, claim, paymentId);
    const accepted = api.accept(call, { ...(await draft()), orderId: request.orderId, check });
    return await accepted.then(
      ({ payment }) => payment,
      async (error: unknown) => {
        if (!(error instanceof ClaimedMeanwhile)) throw error;
        return again(await getPaymentOrThrow(api.db, error.paymentId));
      },
    );
  } catch (error) {
    // An earlier request may have created the payment, and the database cannot tell now.
    throw orUnknown(error);
  }
}

/**
 * Drafts a payment that has its own order_id within a request for many. An order_id that exists already belongs to
 * another request.
 * @throws PaymentError ORDER_ID_REUSED, now or from the transaction that writes it.
 */
export async function orderOfMany(
  db: Database,
  call: Pick<Call, 'merchant'>,
  request: OrderRequest,
): Promise<Required<Pick<PaymentDraft, 'orderId' | 'check'>>> {
  const claim = claimOf(call, request);
  const first = await findFirst(db, claim);
  if (first) throw reused(first.payment_id);
  return {
    orderId: request.orderId,
    async check(trx, paymentId) {
      await writeClaim(trx, claim, paymentId).catch((error: unknown) => {
        throw error instanceof ClaimedMeanwhile ? reused(error.paymentId) : error;
      });
    },
  };
}

/** True when the order_id has a payment already. @throws PaymentError ORDER_ID_REUSED */
export async function isOrderKnown(db: Database, call: Call, request: OrderRequest): Promise<boolean> {
  return (await findFirst(db, claimOf(call, request))) !== undefined;
}

type Claim = Omit<OrderIdRow, 'payment_id'>;

/** An equal request at the same moment was faster. */
class ClaimedMeanwhile extends Error {
  constructor(readonly paymentId: string) {
    super(`payment ${paymentId} has the order_id`);
  }
}

function claimOf({ merchant }: Pick<Call, 'merchant'>, { scope, orderId, body }: OrderRequest): Claim {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return {
    merchant_id: merchant.merchant_id,
    scope,
    order_hash: digest(orderId),
    body_hash: digest(JSON.stringify(body)),
  };
}

function keyOf({
  merchant_id,
  scope,
  order_hash,
}: Claim): Pick<Claim, 'merchant_id' | 'scope' | 'order_hash'> {
  return { merchant_id, scope, order_hash };
}

async function findFirst(db: Database, claim: Claim): Promise<PaymentRow | undefined> {
  const known = await db('order_ids').where(keyOf(claim)).first();
  if (!known) return undefined;
  refuseOther(known, claim);
  const first = await getPaymentOrThrow(db, known.payment_id);
  return invitesRepetition(first) ? undefined : first;
}

/** Takes the order_id for a payment, in the transaction that writes the payment. */
async function writeClaim(trx: Transaction, claim: Claim, paymentId: string): Promise<void> {
  try {
    await trx('order_ids').insert({ ...claim, payment_id: paymentId });
    return;
  } catch (error) {
    if (duplicateKeyOf(error) === undefined) throw error;
  }
  const known = await trx('order_ids').where(keyOf(claim)).forUpdate().first();
  if (!known) throw new Error('the row of the order_id is missing');
  // After a connection was lost during COMMIT, this very payment may already have the order_id.
  if (known.payment_id === paymentId) return;
  refuseOther(known, claim);
  if (!invitesRepetition(await getPaymentOrThrow(trx, known.payment_id))) {
    throw new ClaimedMeanwhile(known.payment_id);
  }
  await trx('order_ids').where(keyOf(claim)).update({ payment_id: paymentId });
}

function refuseOther(known: OrderIdRow, { body_hash: bodyHash }: Claim): void {
  if (known.body_hash.equals(bodyHash)) return;
  throw reused(known.payment_id);
}

function reused(paymentId: string): PaymentError {
  return new PaymentError('ORDER_ID_REUSED', { extra: { payment_id: paymentId } });
}

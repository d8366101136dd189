/** Decides unmatched receipts of a provider's statement: an operator assigns one, or records its return. */
import Joi from 'joi';
import { isSettled } from '../domain/payment';
import type { AccountKey } from '../ledger/accounts';
import { getMerchantOrThrow } from '../merchants/merchants';
import { findPayment } from '../payments/read/payments';
import { isIncoming, type StatementFormat } from '../reconciliation/statement';
import type { UnmatchedReceiptRow, PaymentRow } from '../store/tables';
import { defineAction, type ActionScope, type Names } from './action';
import { ActionError, InputError } from './errors';
import { country, id, numberId, reason as why, reference as referenceField } from './fields';
import { floatKey } from './money';
import { claimForAccount, claimForPayment, refuseDecided, returnReceipt } from './manual-transition';
import { amountWords, merchantName, paymentNames } from './names';
import { formatOf } from './statements';
import { signalAll, type Signalled } from './workflows';

interface ClaimInput {
  receipt_id: string;
  reason: string;
  /** Exactly one of payment_id, merchant_id, bank and fee. */
  payment_id?: string;
  merchant_id?: string;
  bank?: true;
  fee?: true;
  /** With merchant_id: to the rail's float instead of the wallet. */
  float?: true;
  country?: string;
  beside_payment_id?: string;
}

interface ReturnInput {
  receipt_id: string;
  reason: string;
  reference: string;
  beside_payment_id?: string;
}

export interface AssignedReceipt {
  unmatched: UnmatchedReceiptRow;
  /** The account that it was booked on; undefined if it settled a payment. */
  account?: AccountKey;
  payment?: PaymentRow;
  /** The state of a payment that was booked before and only got its receipt. */
  named_only?: PaymentRow['state'];
  signalled?: Signalled;
}

const money = { version: 1, right: 'act', approval: 'money', writes: 'database' } as const;

export const unmatchedReceiptActions = {
  'unmatched.assign': defineAction<ClaimInput, AssignedReceipt>({
    ...money,
    schema: Joi.object<ClaimInput>({
      receipt_id: numberId.required(),
      reason: why.required(),
      payment_id: id,
      merchant_id: id,
      bank: Joi.valid(true),
      fee: Joi.valid(true),
      float: Joi.valid(true),
      country,
      beside_payment_id: id,
    }),
    phrase: {
      en: 'assign {amount}, which {provider} shows without a payment, to {target}',
      sw: 'kuzipa {target} {amount} ambazo {provider} anaonyesha bila malipo',
    },
    async names(db, input) {
      const payment = await paymentNames(db, input.payment_id);
      const whose = payment['merchant'] ?? (await merchantName(db, input.merchant_id)) ?? '–';
      return {
        ...(await receiptNames(db, input.receipt_id)),
        merchant: whose,
        target: targetOf(input, whose),
      };
    },
    run: claim,
  }),

  'unmatched.returned': defineAction<ReturnInput, AssignedReceipt>({
    ...money,
    schema: Joi.object<ReturnInput>({
      receipt_id: numberId.required(),
      reason: why.required(),
      reference: referenceField.required(),
      beside_payment_id: id,
    }),
    phrase: {
      en: 'record that {amount}, which {provider} shows without a payment, was returned',
      sw: 'kuandika kwamba {amount} ambazo {provider} anaonyesha bila malipo zilirudi',
    },
    names: (db, input) => receiptNames(db, input.receipt_id),
    async run(scope, { receipt_id: given, reason, reference, beside_payment_id: beside }) {
      const unmatched = await getUnmatchedReceipt(scope, given);
      refuseDecided(unmatched);
      await returnReceipt(scope, formatOf(scope, unmatched), unmatched, { reason, reference, beside });
      return { unmatched: await getUnmatchedReceipt(scope, given) };
    },
  }),
};

async function receiptNames(db: ActionScope['context']['db'], given: string): Promise<Names> {
  const unmatched = await db('unmatched_receipts').where({ receipt_id: given }).first();
  if (!unmatched) return {};
  const { provider, amount_minor: minor, currency } = unmatched;
  return { provider, amount: amountWords(minor, currency) };
}

function targetOf(input: ClaimInput, whose: Names[string]): Names[string] {
  const name = typeof whose === 'string' ? whose : '–';
  if (input.bank) return { en: 'our own bank account', sw: 'akaunti yetu ya benki' };
  if (input.fee) return { en: 'fees of the provider', sw: 'ada za mtoa huduma' };
  if (input.payment_id !== undefined) return { en: `a payment of ${name}`, sw: `malipo ya ${name}` };
  return input.float
    ? { en: `the float of ${name}`, sw: `akiba ya ${name}` }
    : { en: `the wallet of ${name}`, sw: `pochi ya ${name}` };
}

async function claim(scope: ActionScope, input: ClaimInput): Promise<AssignedReceipt> {
  const { payment_id: paymentId, merchant_id: merchant, bank, fee, float, reason } = input;
  const beside = input.beside_payment_id;
  if ([paymentId, merchant, bank, fee].filter((whose) => whose !== undefined).length !== 1)
    throw new InputError('Name exactly one: a payment, a merchant, our bank or a fee.');
  if ((float ?? input.country) !== undefined && merchant === undefined)
    throw new InputError('A float and a country need a merchant.');
  const unmatched = await getUnmatchedReceipt(scope, input.receipt_id);
  refuseDecided(unmatched);
  const format = formatOf(scope, unmatched);
  if (paymentId !== undefined) {
    const { db } = scope.context;
    const before = await findPayment(db, paymentId);
    if (!before) throw new ActionError(`There is no payment ${paymentId}.`);
    if (beside === paymentId) throw new InputError('The money cannot come in addition to its own payment.');
    const payment = await claimForPayment(scope, format, unmatched, { paymentId, reason, beside });
    const now = await getUnmatchedReceipt(scope, unmatched.receipt_id);
    if (isSettled(before.state)) return { unmatched: now, payment, named_only: before.state };
    return { unmatched: now, payment, signalled: await signalAll(scope, [payment]) };
  }
  const { currency } = unmatched;
  if (fee && isIncoming(unmatched) > 0n)
    throw new ActionError(`Receipt ${unmatched.receipt_id} is incoming money, so it is not a fee.`);
  const merchantId =
    merchant === undefined ? null : (await getMerchantOrThrow(scope.context.db, merchant)).merchant_id;
  const account = accountFor(input, { merchantId, provider: unmatched.provider, currency }, format);
  await claimForAccount(scope, format, unmatched, { key: account, merchantId, reason, beside });
  return { unmatched: await getUnmatchedReceipt(scope, unmatched.receipt_id), account };
}

function accountFor(
  { fee, float, country: of }: ClaimInput,
  to: { merchantId: string | null } & Pick<UnmatchedReceiptRow, 'provider' | 'currency'>,
  format: StatementFormat,
): AccountKey {
  const { merchantId, provider, currency } = to;
  if (merchantId === null)
    return fee ? { class: 'provider_fees', provider, currency } : { class: 'bank', currency };
  return float
    ? floatKey(merchantId, { rail: format.payments[0]?.rail ?? '', currency, country: of })
    : { class: 'wallet', merchantId, currency };
}

/** @throws ActionError if there is no such receipt. */
export async function getUnmatchedReceipt(
  { context }: Pick<ActionScope, 'context'>,
  given: string,
): Promise<UnmatchedReceiptRow> {
  const unmatched = await context.db('unmatched_receipts').where({ receipt_id: given }).first();
  if (!unmatched)
    throw new ActionError(`There is no unmatched receipt ${given}; malipo unmatched list shows them.`);
  return unmatched;
}

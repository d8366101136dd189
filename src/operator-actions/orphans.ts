/** Money of a provider's statement without an owner: assigned to one, or noted as gone back. */
import Joi from 'joi';
import { isSettled } from '../domain/payment';
import type { AccountKey } from '../ledger/accounts';
import { getMerchantOrThrow } from '../merchants/merchants';
import { findPayment } from '../payments/read/payments';
import { cameIn, type StatementFormat } from '../reconciliation/statement';
import type { OrphanRow, PaymentRow } from '../store/tables';
import { defineAction, type ActionScope, type Names } from './action';
import { ActionError, InputError } from './errors';
import { country, id, numberId, reason as why, reference as referenceField } from './fields';
import { floatKey } from './money';
import { claimForAccount, claimForPayment, refuseDecided, returnOrphan } from './move-by-hand';
import { amountWords, merchantName, paymentNames } from './names';
import { formatOf } from './statements';
import { wakeAll, type Waking } from './workflows';

interface ClaimInput {
  orphan_id: string;
  reason: string;
  /** Exactly one of the next four. */
  payment_id?: string;
  merchant_id?: string;
  bank?: true;
  fee?: true;
  /** With the merchant: to the rail's float in place of the wallet. */
  float?: true;
  country?: string;
  beside_payment_id?: string;
}

interface ReturnInput {
  orphan_id: string;
  reason: string;
  reference: string;
  beside_payment_id?: string;
}

export interface DecidedOrphan {
  orphan: OrphanRow;
  /** What it was booked on, where no payment was settled by it. */
  account?: AccountKey;
  payment?: PaymentRow;
  /** Of a payment that was booked before: nothing was booked again. */
  named_only?: PaymentRow['state'];
  woken?: Waking;
}

const money = { version: 1, right: 'act', approval: 'money', writes: 'database' } as const;

export const orphanActions = {
  'orphan.claim': defineAction<ClaimInput, DecidedOrphan>({
    ...money,
    schema: Joi.object<ClaimInput>({
      orphan_id: numberId.required(),
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
      return { ...(await orphanNames(db, input.orphan_id)), merchant: whose, target: targetOf(input, whose) };
    },
    run: claim,
  }),

  'orphan.returned': defineAction<ReturnInput, DecidedOrphan>({
    ...money,
    schema: Joi.object<ReturnInput>({
      orphan_id: numberId.required(),
      reason: why.required(),
      reference: referenceField.required(),
      beside_payment_id: id,
    }),
    phrase: {
      en: 'note that {amount}, which {provider} shows without a payment, went back',
      sw: 'kuandika kwamba {amount} ambazo {provider} anaonyesha bila malipo zilirudi',
    },
    names: (db, input) => orphanNames(db, input.orphan_id),
    async run(scope, { orphan_id: given, reason, reference, beside_payment_id: beside }) {
      const orphan = await getOrphan(scope, given);
      refuseDecided(orphan);
      await returnOrphan(scope, formatOf(scope, orphan), orphan, { reason, reference, beside });
      return { orphan: await getOrphan(scope, given) };
    },
  }),
};

async function orphanNames(db: ActionScope['context']['db'], given: string): Promise<Names> {
  const orphan = await db('orphans').where({ orphan_id: given }).first();
  if (!orphan) return {};
  const { provider, amount_minor: minor, currency } = orphan;
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

async function claim(scope: ActionScope, input: ClaimInput): Promise<DecidedOrphan> {
  const { payment_id: paymentId, merchant_id: merchant, bank, fee, float, reason } = input;
  const beside = input.beside_payment_id;
  if ([paymentId, merchant, bank, fee].filter((whose) => whose !== undefined).length !== 1)
    throw new InputError('Say whose it is: a payment, a merchant, our bank, or a fee. Exactly one of them.');
  if ((float ?? input.country) !== undefined && merchant === undefined)
    throw new InputError('Only for a merchant it can go to a float or have a country.');
  if (beside !== undefined && paymentId !== undefined)
    throw new InputError('It is either the money of a payment, or came beside one.');
  const orphan = await getOrphan(scope, input.orphan_id);
  refuseDecided(orphan);
  const format = formatOf(scope, orphan);
  if (paymentId !== undefined) {
    const { db } = scope.context;
    const before = await findPayment(db, paymentId);
    if (!before) throw new ActionError(`There is no payment ${paymentId}.`);
    const payment = await claimForPayment(scope, format, orphan, { paymentId, reason });
    const now = await getOrphan(scope, orphan.orphan_id);
    if (isSettled(before.state)) return { orphan: now, payment, named_only: before.state };
    return { orphan: now, payment, woken: await wakeAll(scope, [payment]) };
  }
  const { currency } = orphan;
  if (fee && cameIn(orphan) > 0n) throw new ActionError(`Orphan ${orphan.orphan_id} came in: it is no fee.`);
  const merchantId =
    merchant === undefined ? null : (await getMerchantOrThrow(scope.context.db, merchant)).merchant_id;
  const account = accountFor(input, { merchantId, provider: orphan.provider, currency }, format);
  await claimForAccount(scope, format, orphan, { key: account, merchantId, reason, beside });
  return { orphan: await getOrphan(scope, orphan.orphan_id), account };
}

function accountFor(
  { fee, float, country: of }: ClaimInput,
  to: { merchantId: string | null } & Pick<OrphanRow, 'provider' | 'currency'>,
  format: StatementFormat,
): AccountKey {
  const { merchantId, provider, currency } = to;
  if (merchantId === null)
    return fee ? { class: 'provider_fees', provider, currency } : { class: 'bank', currency };
  return float
    ? floatKey(merchantId, { rail: format.payments[0]?.rail ?? '', currency, country: of })
    : { class: 'wallet', merchantId, currency };
}

/** @throws ActionError where there is none. */
export async function getOrphan(
  { context }: Pick<ActionScope, 'context'>,
  given: string,
): Promise<OrphanRow> {
  const orphan = await context.db('orphans').where({ orphan_id: given }).first();
  if (!orphan) throw new ActionError(`There is no orphan ${given}; malipo orphan list shows them.`);
  return orphan;
}

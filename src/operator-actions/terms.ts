/** Sets the limits on a merchant's payouts, and the fees of its payments. */
import Joi from 'joi';
import { endLimit, limitKinds, setLimit, type Change as LimitChange } from '../controls/limits';
import { formatAmount, type Currency } from '../domain/money';
import type { PaymentKind } from '../domain/payment';
import { endFee, setFee, type Change as FeeChange } from '../fees/schedules';
import { getMerchantOrThrow } from '../merchants/merchants';
import type { Database } from '../store/database';
import { feeOperations } from '../store/ledger-tables';
import type { FeeOperation, FeeScheduleRow, OutflowLimitKind, OutflowLimitRow } from '../store/tables';
import { defineAction, type ActionScope, type Names } from './action';
import { ActionError, InputError } from './errors';
import { amount, currency, id, readBy, reason } from './fields';
import { floatRail } from './money';
import { merchantName } from './names';
import { oneOf, readAmount, readCurrency } from './read';
import { amountText } from './wording';

const readLimitKind = oneOf(Object.keys(limitKinds) as OutflowLimitKind[], 'The kind');
const readFeeOperation = oneOf(feeOperations, 'The operation');

/** Longer than any useful cooldown, and within the range of the column. */
const cooldownMaxSeconds = 366 * 86_400;
const paymentKindOf: Record<FeeOperation, PaymentKind> = { collection: 'deposit', payout: 'payout' };

interface LimitInput {
  kind: string;
  currency: string;
  amount?: string;
  cooldown_s?: number;
  most?: number;
  merchant_id?: string;
  rail?: string;
  reason: string;
}

interface FeeInput {
  operation: string;
  currency: string;
  fixed?: string;
  /** Decimal text, such as 12.5. */
  per_mille?: string;
  minimum?: string;
  maximum?: string;
  merchant_id?: string;
  rail?: string;
  reason: string;
}

/** Decimal texts in the currency. */
export type ShownLimit = Omit<OutflowLimitRow, 'cooldown_s'> & { cooldown_seconds: number | null };

export function shownLimit({ cooldown_s, amount: minor, ...limit }: OutflowLimitRow): ShownLimit {
  return {
    ...limit,
    amount: minor === null ? null : formatAmount(BigInt(minor), limit.currency),
    cooldown_seconds: cooldown_s,
  };
}

/** Decimal texts in the currency. */
export type ShownFee = Omit<FeeScheduleRow, 'per_million' | 'open_key'> & { per_mille: string };

export function shownFee({ per_million, open_key: _, ...fee }: FeeScheduleRow): ShownFee {
  const shown = (minor: string | null) => (minor === null ? null : formatAmount(BigInt(minor), fee.currency));
  return {
    ...fee,
    fixed: formatAmount(BigInt(fee.fixed), fee.currency),
    per_mille: String(per_million / 1_000),
    minimum: shown(fee.minimum),
    maximum: shown(fee.maximum),
  };
}

/** `12.5` → 12500 millionths. */
function readPerMille(text: string): number {
  const [, whole = '', decimals = ''] = /^(\d{1,4})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
  const millionths = Number(whole) * 1_000 + Number(decimals.padEnd(3, '0'));
  if (whole !== '' && millionths <= 1_000_000) return millionths;
  throw new InputError(`"${text}" is not a share from 0 to 1000 per mille; write it like 12.5.`);
}

const minorIn =
  (code: Currency) =>
  (text: string | undefined): string | null =>
    text === undefined ? null : readAmount(text, code).toString();

/** The id as it is stored; null for every merchant. */
async function merchantOrAll(db: Database, merchantId: string | undefined): Promise<string | null> {
  return merchantId === undefined ? null : (await getMerchantOrThrow(db, merchantId)).merchant_id;
}

/** @throws InputError if the given values are not those that the kind needs. */
function expectWhatItTakes(
  kind: OutflowLimitKind,
  given: Pick<LimitInput, 'amount' | 'cooldown_s' | 'most'>,
): void {
  const names = { amount: 'an amount', cooldown_s: 'a cooldown', most: 'a number at most' } as const;
  const { takes } = limitKinds[kind];
  for (const field of Object.keys(names) as (keyof typeof names)[]) {
    if (takes.includes(field) === (given[field] !== undefined)) continue;
    throw new InputError(`A limit ${kind} takes ${takes.map((one) => names[one]).join(' and ')}.`);
  }
}

async function limitChange({ context, acting }: ActionScope): Promise<LimitChange> {
  return {
    by: acting.by,
    aheadMs: (await context.sandboxAheadMs?.()) ?? 0,
    record: (trx, line) => acting.record(trx, line),
  };
}

function feeChange({ acting }: ActionScope): FeeChange {
  return { by: acting.by, record: (trx, line) => acting.record(trx, line) };
}

/** Accepts only rails with payments of this operation. */
function readFeeRail({ context }: ActionScope, operation: FeeOperation, name: string): string {
  const rails = context.rails.all.filter(
    ({ operations }) => operations[paymentKindOf[operation]] !== undefined,
  );
  return oneOf(
    rails.map((rail) => rail.name),
    `The rail of a ${operation}`,
  )(name);
}

async function limitNames(db: Database, { limit_id: limitId }: { limit_id: string }): Promise<Names> {
  const limit = await db('outflow_limits').where({ limit_id: limitId }).first();
  if (!limit) return { what: limitId };
  const bound = limit.amount === null ? String(limit.most ?? '') : amountText(limit.amount, limit.currency);
  return { merchant: await merchantName(db, limit.merchant_id), what: `${limit.kind} ${bound}` };
}

async function feeNames(db: Database, { fee_id: feeId }: { fee_id: string }): Promise<Names> {
  const fee = await db('fee_schedules').where({ fee_id: feeId }).first();
  if (!fee) return { what: feeId };
  return {
    merchant: await merchantName(db, fee.merchant_id),
    what: `${fee.operation} ${amountText(fee.fixed, fee.currency)} + ${String(fee.per_million / 1_000)} ‰`,
  };
}

/** Limits and fees share one approval rule: both are terms of the contract with a merchant. */
const common = { version: 1, right: 'act', approval: 'limits', writes: 'database' } as const;

export const termActions = {
  'limit.set': defineAction<LimitInput, ShownLimit>({
    ...common,
    schema: Joi.object<LimitInput>({
      kind: readBy(readLimitKind).required(),
      currency: currency.required(),
      amount,
      cooldown_s: Joi.number().integer().min(1).max(cooldownMaxSeconds).messages({
        'number.max': 'A cooldown is at most 366d; from 72h on only an operator can release the payout.',
      }),
      most: Joi.number().integer().min(1).max(999_999_999),
      merchant_id: id,
      rail: floatRail,
      reason: reason.required(),
    }),
    phrase: {
      en: 'set a limit on payouts of {merchant}: {kind} in {currency}',
      sw: 'kuweka kikomo cha malipo ya nje ya {merchant}: {kind} kwa {currency}',
    },
    async run(scope, input) {
      const { db } = scope.context;
      const kind = readLimitKind(input.kind);
      const code = readCurrency(input.currency);
      expectWhatItTakes(kind, input);
      const limit = await setLimit(
        db,
        {
          ...{ kind, currency: code, reason: input.reason },
          merchant_id: await merchantOrAll(db, input.merchant_id),
          rail: input.rail ?? null,
          amount: minorIn(code)(input.amount),
          cooldown_s: input.cooldown_s ?? null,
          most: input.most ?? null,
        },
        await limitChange(scope),
      );
      return shownLimit(limit);
    },
  }),

  'limit.remove': defineAction<{ limit_id: string; reason: string }, ShownLimit>({
    ...common,
    schema: Joi.object<{ limit_id: string; reason: string }>({
      limit_id: id.required(),
      reason: reason.required(),
    }),
    phrase: {
      en: 'remove a limit on payouts of {merchant}: {what}',
      sw: 'kuondoa kikomo cha malipo ya nje ya {merchant}: {what}',
    },
    names: limitNames,
    async run(scope, { limit_id: limitId, reason: why }) {
      const change = { ...(await limitChange(scope)), reason: why };
      const limit = await endLimit(scope.context.db, limitId, change);
      if (!limit) throw new ActionError(`No limit ${limitId} is in force; see malipo limit list.`);
      return shownLimit(limit);
    },
  }),

  'fee.set': defineAction<FeeInput, ShownFee>({
    ...common,
    schema: Joi.object<FeeInput>({
      operation: readBy(readFeeOperation).required(),
      currency: currency.required(),
      fixed: amount,
      per_mille: readBy(readPerMille),
      minimum: amount,
      maximum: amount,
      merchant_id: id,
      rail: id,
      reason: reason.required(),
    }),
    phrase: {
      en: 'set the fee of {merchant} for each {operation} in {currency}',
      sw: 'kuweka ada ya {merchant} kwa kila {operation} kwa {currency}',
    },
    async run(scope, input) {
      const { db } = scope.context;
      const { fixed, per_mille: perMille, rail } = input;
      if (fixed === undefined && perMille === undefined)
        throw new InputError(
          'A fee takes a fixed amount, a share per mille or both; a share of 0 charges nothing.',
        );
      const operation = readFeeOperation(input.operation);
      const code = readCurrency(input.currency);
      const minor = minorIn(code);
      const [minimum, maximum] = [minor(input.minimum), minor(input.maximum)];
      if (minimum !== null && maximum !== null && BigInt(minimum) > BigInt(maximum))
        throw new InputError('The minimum must not be more than the maximum.');
      const fee = await setFee(
        db,
        {
          ...{ operation, currency: code, reason: input.reason },
          merchant_id: await merchantOrAll(db, input.merchant_id),
          rail: rail === undefined ? null : readFeeRail(scope, operation, rail),
          fixed: minor(fixed) ?? '0',
          per_million: perMille === undefined ? 0 : readPerMille(perMille),
          ...{ minimum, maximum },
        },
        feeChange(scope),
      );
      return shownFee(fee);
    },
  }),

  'fee.remove': defineAction<{ fee_id: string; reason: string }, ShownFee>({
    ...common,
    schema: Joi.object<{ fee_id: string; reason: string }>({
      fee_id: id.required(),
      reason: reason.required(),
    }),
    phrase: {
      en: 'end a fee of {merchant}: {what}',
      sw: 'kusitisha ada ya {merchant}: {what}',
    },
    names: feeNames,
    async run(scope, { fee_id: feeId, reason: why }) {
      const fee = await endFee(scope.context.db, feeId, { ...feeChange(scope), reason: why });
      if (!fee) throw new ActionError(`No fee ${feeId} is in force; see malipo fee list.`);
      return shownFee(fee);
    },
  }),
};

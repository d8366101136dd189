/** Accepts or rejects deposits, payouts and refunds. */
import type { Clock } from '../../clock';
import { centsOf, decimalOf } from '../../books';
import { failure, type Failure, type FailureCode } from './failures';
import type { Lifecycle } from './lifecycle';
import type { AvailabilityBoard } from './network/availability';
import type { Limits } from './network/limits';
import { findProvider, isNumberOf } from './network/numbers';
import type { Operation } from './operations';
import type { Submission } from './requests';
import { isFinal, type Transaction, type Transactions } from './transactions';
import { twoPlaces, type Wallets } from './wallets';

/** The values of an accepted initiation. */
type Accepted = Pick<
  Transaction,
  'amount' | 'currency' | 'country' | 'provider' | 'phone' | 'depositId' | 'redirect'
>;
type Verdict = { accepted: Accepted } | { refused: Failure };

export interface SubmissionParts {
  clock: Clock;
  transactions: Transactions;
  lifecycle: Lifecycle;
  wallets: Wallets;
  availability: AvailabilityBoard;
}

export type SubmitCall = (
  operation: Operation,
  initiation: Submission,
  simulatorUrl: string,
) => Promise<{ transaction: Transaction } | { refused: Failure }>;

/** The code in Orange's sandbox that is always wrong. */
const WRONG_PREAUTHORISATION = '000000';

export function openSubmissions(parts: SubmissionParts): SubmitCall {
  const { clock, transactions, lifecycle, wallets, availability } = parts;

  const verdicts: Record<Operation, (initiation: Submission, simulatorUrl: string) => Verdict> = {
    DEPOSIT: (initiation, simulatorUrl) => {
      const verdict = paymentVerdict('DEPOSIT', initiation);
      return 'refused' in verdict ? verdict : authorised(verdict.accepted, initiation, simulatorUrl);
    },
    PAYOUT: (initiation) => funded(paymentVerdict('PAYOUT', initiation)),
    REFUND: (initiation) => funded(refundVerdict(initiation)),
  };

  const paymentVerdict = (
    operation: Operation,
    { provider: code, phone, currency = '', amount = '' }: Submission,
  ): Verdict => {
    const home = findProvider(code);
    if (!home) return refused('INVALID_PROVIDER', code);
    if (!isNumberOf(home.country, phone)) return refused('INVALID_PHONE_NUMBER', `${phone} for ${code}`);
    const limits = home.provider.money.find((candidate) => candidate.currency === currency);
    if (!limits) return refused('INVALID_CURRENCY', `${currency} for ${code}`);
    if (hasTooManyDecimals(amount, limits)) return refused('INVALID_AMOUNT', amount);
    const cents = centsOf(twoPlaces(amount));
    if (cents < centsOf(twoPlaces(limits.min)) || cents > centsOf(twoPlaces(limits.max))) {
      return refused('AMOUNT_OUT_OF_BOUNDS', `${limits.min} to ${limits.max} ${currency}`);
    }
    const now = availability.of(code, operation);
    const isTaken = now === 'OPERATIONAL' || (now === 'DELAYED' && operation !== 'DEPOSIT');
    if (!isTaken) return refused('PROVIDER_TEMPORARILY_UNAVAILABLE', `${code} is ${now}`);
    return { accepted: { amount, currency, country: home.country.code, provider: code, phone } };
  };

  const refundVerdict = ({ depositId = '', amount, currency }: Submission): Verdict => {
    const deposit = transactions.find('DEPOSIT', depositId);
    if (!deposit) return refused('NOT_FOUND', depositId);
    if (deposit.status !== 'COMPLETED') return refused('INVALID_STATE', `The deposit is ${deposit.status}`);
    if ((amount === undefined) !== (currency === undefined)) {
      return refused('MISSING_PARAMETER', 'amount and currency go together');
    }
    if (currency !== undefined && currency !== deposit.currency) return refused('INVALID_CURRENCY', currency);

    const refunds = transactions.refundsOf(depositId);
    const limits = findProvider(deposit.provider)?.provider.money.find(
      (candidate) => candidate.currency === deposit.currency,
    );
    if (amount !== undefined && limits && hasTooManyDecimals(amount, limits)) {
      return refused('INVALID_AMOUNT', amount);
    }
    if (amount === '0') return refused('AMOUNT_OUT_OF_BOUNDS');
    const left = leftOf(deposit, refunds);
    if (left === 0n) return refused('DEPOSIT_ALREADY_REFUNDED');
    if (refunds.some((refund) => !isFinal(refund))) return refused('REFUND_IN_PROGRESS');
    if (amount !== undefined && centsOf(twoPlaces(amount)) > left) return refused('AMOUNT_TOO_LARGE');
    const wanted = { amount: amount ?? wireAmount(left), currency: deposit.currency };
    const { provider, phone } = deposit;
    // Part of a deposit may be below the least deposit, so only the provider's status is checked.
    if (availability.of(provider, 'REFUND') === 'CLOSED') return refused('PROVIDER_TEMPORARILY_UNAVAILABLE');
    return { accepted: { ...wanted, country: deposit.country, provider, phone, depositId } };
  };

  const funded = (verdict: Verdict): Verdict => {
    if ('refused' in verdict || wallets.take(verdict.accepted, verdict.accepted.amount)) return verdict;
    return refused('PAWAPAY_WALLET_OUT_OF_FUNDS');
  };

  return async (operation, initiation, simulatorUrl) => {
    const verdict = verdicts[operation](initiation, simulatorUrl);
    if ('refused' in verdict) return verdict;
    const { customerMessage, clientReferenceId, metadata } = initiation.remarks;
    const transaction: Transaction = {
      operation,
      id: initiation.id,
      status: 'ACCEPTED',
      ...verdict.accepted,
      created: clock.callersNow(),
      ...(customerMessage !== undefined && { customerMessage }),
      ...(clientReferenceId !== undefined && { clientReferenceId }),
      ...(metadata && { metadata }),
    };
    await lifecycle.begin(transaction);
    return { transaction };
  };
}

const refused = (code: FailureCode, detail?: string): Verdict => ({ refused: failure(code, detail) });

function hasTooManyDecimals(amount: string, { decimals }: Limits): boolean {
  return (amount.split('.')[1] ?? '').length > (decimals === 'NONE' ? 0 : 2);
}

/** The provider decides how the customer approves, and which fields that needs. */
function authorised(accepted: Accepted, initiation: Submission, simulatorUrl: string): Verdict {
  const authType = findProvider(accepted.provider)?.provider.authType ?? 'PROVIDER_AUTH';
  const { preAuthorisationCode, successfulUrl, failedUrl } = initiation;
  if (authType === 'PREAUTH') {
    if (preAuthorisationCode === undefined) return refused('MISSING_PARAMETER', 'preAuthorisationCode');
    if (preAuthorisationCode === WRONG_PREAUTHORISATION)
      return refused('INVALID_PARAMETER', 'preAuthorisationCode');
  }
  if (authType !== 'REDIRECT_AUTH') {
    if (successfulUrl !== undefined) return refused('UNSUPPORTED_PARAMETER', 'successfulUrl');
    return failedUrl === undefined ? { accepted } : refused('UNSUPPORTED_PARAMETER', 'failedUrl');
  }
  if (successfulUrl === undefined) return refused('MISSING_PARAMETER', 'successfulUrl');
  if (failedUrl === undefined) return refused('MISSING_PARAMETER', 'failedUrl');
  const authorizationUrl = `${simulatorUrl}/authorise/${initiation.id}`;
  return { accepted: { ...accepted, redirect: { authorizationUrl, successfulUrl, failedUrl } } };
}

/** The deposit's remainder, in hundredths. Refunds in progress count as refunded. */
function leftOf(deposit: Transaction, refunds: readonly Transaction[]): bigint {
  return refunds
    .filter(({ status }) => status !== 'FAILED')
    .reduce((left, { amount }) => left - centsOf(twoPlaces(amount)), centsOf(twoPlaces(deposit.amount)));
}

/** 15.50 → 15.5. */
function wireAmount(cents: bigint): string {
  return decimalOf(cents).replace(/\.0+$|(?<=[1-9])0+$/, '');
}

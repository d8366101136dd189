/**
 * A provider that does not know what it has told of before. One such answer may be a slip; a second one, at another
 * look, is a person's question, once: it is asked again only after the provider has known the payment in between. Pure.
 */
import type { PaymentRow } from '../../store/tables';
import type { Decision, Facts } from './decide';
import { msSince, nowOf } from '../record/payment-clock';

/** The detail that keeps since when the provider disowns a payment, or that a person was asked; empty once it is known. */
const disownedDetail = 'disowned';
const asked = 'asked';
/** Between the two answers at the least. */
const againAfterMs = 30_000;

/** What its case says from then on: a person still has to close it. */
export const knownAgain = 'the provider knew it again later';

export interface Disowning {
  /** The rail that has the account at the provider. */
  account: string;
  /** Undefined while the provider knows the payment. */
  seen: typeof asked | { msAgo: number } | undefined;
  /** How long ago the first answer must be, so that another one counts. */
  againAfterMs: number;
}

/** What a look has learnt: `seen` once, `asked` a person about it, or the provider knows the payment again. */
export type Disowned = 'seen' | 'asked' | 'known';

export function disowningOf(payment: PaymentRow, account: string, timeScale: number): Disowning {
  const { [disownedDetail]: kept = '' } = payment.details;
  const seen = kept === asked ? kept : kept === '' ? undefined : { msAgo: msSince(payment, new Date(kept)) };
  return { account, seen, againAfterMs: againAfterMs / timeScale };
}

/** What is kept with the payment of what was learnt. */
export function disownedDetails(payment: PaymentRow, learnt: Disowned): Record<string, string> {
  const kept = { seen: new Date(nowOf(payment)).toISOString(), asked, known: '' };
  return { [disownedDetail]: kept[learnt] };
}

/** Whether the payment stands as it did when it was read. */
export function isDisownedAlike(one: PaymentRow['details'], other: PaymentRow['details']): boolean {
  return (one[disownedDetail] ?? '') === (other[disownedDetail] ?? '');
}

/** Only an answer to our own question counts, so that no stranger stops what goes through the account. */
export function aboutDisowning({ answer, disowning }: Facts, decision: Decision): Decision {
  const { account, seen } = disowning;
  if (answer === undefined || answer.kind === 'unknown') return decision;
  if (answer.kind === 'failed' && answer.neverReceived) return decision;
  if (answer.kind !== 'open' || !answer.disowned) {
    // The process beside this one may have the wrong token still: what is stopped stays so until a person decides.
    return seen === undefined ? decision : { ...decision, disowned: 'known' };
  }
  if (seen === asked) return decision;
  // The second answer is asked for soon.
  if (seen === undefined) return { ...decision, disowned: 'seen', unconfirmed: true };
  if (seen.msAgo < disowning.againAfterMs) return { ...decision, unconfirmed: true };
  const found = { reason: 'provider_disowns', detail: answer.text ?? '', stops: account } as const;
  return { ...decision, disowned: 'asked', cases: [...decision.cases, found] };
}

/**
 * What a provider tells has the sizes it pleases; what we keep of it has those of our columns. Bounded once, where it
 * comes in, for every rail: a text that does not fit would otherwise fail the transaction that settles a payment, for
 * ever. What names something is kept whole or not at all; what was not kept is named in the details as `left_out`.
 */
import { cutText } from '../domain/cut-text';
import type { Acceptance, Finding } from '../domain/outcome';
import { referenceOf } from './notices';
import type { Operation } from './rail';

/** Characters, as in the columns of `payments` and `attempts`. */
const codeLengthMax = 64;
const textLengthMax = 400;
const name = /^[\x20-\x7e]{1,120}$/;
/** Long enough to tell another currency from ours. */
const currencyLengthMax = 16;
/** Bytes of one detail as JSON: a payment page's address fits, and all of them fit into a webhook's body (64 KiB). */
const detailBytesMax = 2_000;
/** More than any amount that we instruct (15 digits, `src/domain/money.ts`), and less than a BIGINT holds. */
const minorMax = 10n ** 18n;

type Unknown = Extract<Acceptance, { kind: 'unknown' }>;
type Details = Record<string, string>;
interface Told {
  code?: string;
  text?: string;
  currency?: string;
  providerReference?: string;
  receipt?: string;
  details?: Details;
}

/** The operation, with everything its provider tells bounded. */
export function withBoundedWords(operation: Operation): Operation {
  const { recover, capture, cancelUnpaid } = operation;
  return {
    ...operation,
    initiate: async (payment, call) => boundedAcceptance(await operation.initiate(payment, call)),
    retrieveStatus: async (payment, call) => boundedFinding(await operation.retrieveStatus(payment, call)),
    readNotification: (notification) => boundedNotice(operation.readNotification(notification)),
    ...(recover && { recover: async (payment, call) => boundedAcceptance(await recover(payment, call)) }),
    ...(capture && { capture: async (payment, call) => boundedFinding(await capture(payment, call)) }),
    ...(cancelUnpaid && {
      cancelUnpaid: async (payment, call) => bounded(await cancelUnpaid(payment, call)),
    }),
  };
}

export function boundedFinding(finding: Finding): Finding {
  const amounts = Object.values(finding).filter((value): value is bigint => typeof value === 'bigint');
  if (amounts.some((amount) => amount < 0n || amount > minorMax)) {
    return { kind: 'unknown', text: 'it names an amount that no payment can have' };
  }
  return bounded(finding);
}

/** A notification that names something we cannot keep is about something else: without its name it would be about this. */
export function boundedNotice(finding: Finding): Finding {
  const reference = referenceOf(finding);
  return reference === undefined || name.test(reference)
    ? boundedFinding(finding)
    : { kind: 'unknown', text: 'it calls the payment by a name that cannot be kept' };
}

export function boundedAcceptance<T extends Acceptance>(acceptance: T): T | Unknown {
  if ('providerReference' in acceptance && !name.test(acceptance.providerReference)) {
    return { kind: 'unknown', text: 'the provider calls it by a name that cannot be kept' };
  }
  const kept = bounded(acceptance);
  return kept.kind === 'refused'
    ? { ...kept, providerCode: cutText(kept.providerCode, codeLengthMax) }
    : kept;
}

function bounded<T extends Told>(told: T): T {
  const leftOut: string[] = [];
  const kept: T = { ...told };
  if (kept.providerReference !== undefined && !name.test(kept.providerReference)) {
    delete kept.providerReference;
    leftOut.push('reference');
  }
  if (kept.receipt !== undefined && !name.test(kept.receipt)) {
    delete kept.receipt;
    leftOut.push('receipt');
  }
  if (kept.code !== undefined) kept.code = cutText(kept.code, codeLengthMax);
  if (kept.text !== undefined) kept.text = cutText(kept.text, textLengthMax);
  if (kept.currency !== undefined) kept.currency = cutText(kept.currency, currencyLengthMax);
  // Half a character is none to the database.
  const details = Object.entries(told.details ?? {}).map(
    ([field, value]) => [field, Buffer.from(value).toString()] as const,
  );
  const fitting = details.filter(([, value]) => Buffer.byteLength(JSON.stringify(value)) <= detailBytesMax);
  leftOut.push(...details.filter((detail) => !fitting.includes(detail)).map(([field]) => field));
  if (leftOut.length > 0) fitting.push(['left_out', leftOut.join(', ')]);
  if (fitting.length > 0) kept.details = Object.fromEntries(fitting);
  else delete kept.details;
  return kept;
}

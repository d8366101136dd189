/**
 * A payment has one trace. Its id is made of the payment's own, so that every process that knows the payment writes into
 * the same trace, and nothing has to be handed on through Temporal, a provider or the database.
 */
import { createHash, randomBytes } from 'node:crypto';

/** Lower-case hexadecimal, as W3C Trace Context has them. */
export interface SpanRef {
  /** 32 digits. */
  traceId: string;
  /** 16 digits. */
  spanId: string;
}

/** Never changes: processes of two versions write into one trace. */
const salt = 'malipo trace 1 ';

/** The span of the payment itself, from when it was taken to when it ended: what all others hang below. */
export function rootOf(paymentId: string): SpanRef {
  const digest = createHash('sha256').update(salt).update(paymentId).digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** What a header `traceparent` says, in any version of it; undefined for what is none. */
export function readTraceparent(header: unknown): SpanRef | undefined {
  if (typeof header !== 'string' || header.length > 128) return undefined;
  const [, traceId = '', spanId = ''] = traceparent.exec(header) ?? [];
  return hasDigits(traceId) && hasDigits(spanId) ? { traceId, spanId } : undefined;
}

const traceparent = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-|$)/;

const hasDigits = (id: string) => /[^0]/.test(id);

export function writeTraceparent({ traceId, spanId }: SpanRef, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

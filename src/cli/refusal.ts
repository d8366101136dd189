import { ConfigError } from '../config';
import { PaymentError } from '../domain/errors';
import { OperatorRefusal } from '../operators/operators';
import { TurnTaken } from '../reconciliation/turn';
import { isDatabaseUnavailable } from '../store/transaction';
import { redactText } from '../ops/redact';

/** A definite no with a sentence for the operator. Exit code 1. */
export class Refusal extends Error {}

/** The command was not understood. Exit code 2. */
export class UsageError extends Error {}

export interface Told {
  exitCode: number;
  code: string;
  message: string;
  details?: { field: string; message: string }[];
}

/** gRPC: the server cannot be reached, or did not answer in time. */
const unreachableCodes = new Set([14, 4]);

/** What an operator is told about an error. Nothing here may show a secret, so foreign texts are redacted. */
export function toldAbout(error: unknown): Told {
  if (error instanceof UsageError) return { exitCode: 2, code: 'USAGE', message: error.message };
  if (error instanceof Refusal || error instanceof OperatorRefusal || error instanceof TurnTaken)
    return { exitCode: 1, code: 'REFUSED', message: error.message };
  if (error instanceof ConfigError) return { exitCode: 1, code: 'SETTINGS', message: error.message };
  if (error instanceof PaymentError) {
    const { details } = error.options;
    return { exitCode: 1, code: error.code, message: error.message, ...(details ? { details } : {}) };
  }
  if (isDatabaseUnavailable(error)) {
    const message = `The database cannot be used now: ${textOf(error)}`;
    return { exitCode: 1, code: 'DATABASE_UNAVAILABLE', message };
  }
  if (isUnreachable(error)) {
    return {
      exitCode: 1,
      code: 'TEMPORAL_UNAVAILABLE',
      message: `Temporal cannot be reached: ${textOf(error)}`,
    };
  }
  return { exitCode: 1, code: 'UNEXPECTED', message: `Something unexpected went wrong: ${textOf(error)}` };
}

/** Temporal wraps what the connection throws. */
export function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'number' && unreachableCodes.has(code)) return true;
  }
  return false;
}

/** A driver's message repeats the statement with its values; its own words come without them. */
export function textOf(error: unknown): string {
  const { sqlMessage, message, code } = (error ?? {}) as {
    sqlMessage?: string;
    message?: string;
    code?: unknown;
  };
  const text = sqlMessage ?? (message !== undefined && message !== '' ? message : String(code ?? error));
  return redactText(text);
}

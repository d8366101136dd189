import { redactText } from '../telemetry/redact';

/** The action is denied, with a sentence for the operator. Nothing was done. */
export class ActionError extends Error {}

/** The input is unreadable, or its fields cannot be combined. Nothing was done. */
export class InputError extends ActionError {}

/** gRPC: the server did not answer in time. */
const lateCode = 4;
/** gRPC: the server cannot be reached, or did not answer in time. */
const unreachableCodes = new Set([14, lateCode]);

/** Temporal's client wraps the errors of its connection. */
export function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'number' && unreachableCodes.has(code)) return true;
  }
  return false;
}

/**
 * The driver's message repeats the statement with its values; the server's own message does not. Where a server did not
 * answer in time, the libraries name their own parts.
 */
export function textOf(error: unknown): string {
  const { sqlMessage, message, code, name } = (error ?? {}) as {
    sqlMessage?: string;
    message?: string;
    code?: unknown;
    name?: string;
  };
  if (code === lateCode) return 'no answer in time';
  if (name === 'KnexTimeoutError' && message?.includes('acquiring')) return 'no connection in time';
  const text = sqlMessage ?? (message !== undefined && message !== '' ? message : String(code ?? error));
  return redactText(text);
}

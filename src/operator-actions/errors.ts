import { redactText } from '../telemetry/redact';

/** A definite no, with a sentence for the operator. Nothing was done. */
export class ActionError extends Error {}

/** The input cannot be read, or its fields do not go together. Nothing was done. */
export class InputError extends ActionError {}

/** gRPC: the server cannot be reached, or did not answer in time. */
const unreachableCodes = new Set([14, 4]);

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

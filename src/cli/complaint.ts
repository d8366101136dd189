import { ConfigError } from '../config';
import { PaymentError } from '../domain/errors';
import { OperatorRefusal } from '../users/operators';
import { TurnTaken } from '../reconciliation/turn';
import { isDatabaseUnavailable } from '../store/transaction';
import { ActionError, InputError, isUnreachable, textOf } from '../operator-actions/errors';

export interface Told {
  exitCode: number;
  code: string;
  message: string;
  details?: { field: string; message: string }[];
}

/** What an operator is told about an error. Nothing here may show a secret, so foreign texts are redacted. */
export function toldAbout(error: unknown): Told {
  if (error instanceof InputError) return { exitCode: 2, code: 'USAGE', message: error.message };
  if (error instanceof ActionError || error instanceof OperatorRefusal || error instanceof TurnTaken)
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

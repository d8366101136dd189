import { randomBytes } from 'node:crypto';
import { PaymentError, type ErrorCode } from '../../../src/domain/errors';
import { secretBox } from '../../../src/merchants/secrets';

export const box = secretBox([{ id: 'test', key: randomBytes(32) }]);

/** Runs `work`, which must fail. */
export async function errorOf(work: () => unknown): Promise<PaymentError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof PaymentError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

export async function codeOf(work: () => unknown): Promise<ErrorCode> {
  return (await errorOf(work)).code;
}

import { randomUUID } from 'node:crypto';
import type { PaymentCommand, Policy } from '../../../src/domain/commands';

/** The input of a workflow whose activities are stubs. */
export const paymentCommand = (changes: Partial<PaymentCommand> = {}): PaymentCommand => ({
  ...{ rail: 'stk', kind: 'deposit', amount: 'KES 10.00', merchant: 'A Shop', reference: randomUUID() },
  ...{ provider: 'Safaricom Daraja', schedule: 'stkPush v1', flow: 'collection' },
  ...changes,
});

/** A schedule without any check before its last one. */
export const quietPolicy = (changes: Partial<Policy> = {}): Policy => ({
  ...{ checksMs: [], rechecksMs: [], watchMs: 60_000, confirmDelaysMs: [] },
  ...changes,
});

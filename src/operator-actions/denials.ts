/** Definite refusals: whichever of these it was, nothing was done, and its message says why. */
import { PaymentError } from '../domain/errors';
import { ProviderLocked } from '../reconciliation/provider-lock';
import { UserError } from '../users/requests';
import { OperatorError } from '../users/operators';
import { ActionError } from './errors';

const denials = [ActionError, OperatorError, PaymentError, UserError, ProviderLocked];

export const isDenial = (error: unknown): boolean => denials.some((denial) => error instanceof denial);

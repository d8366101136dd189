/** Definite refusals: whichever of these it was, nothing was done, and its message says why. */
import { PaymentError } from '../domain/errors';
import { TurnTaken } from '../reconciliation/turn';
import { PeopleRefusal } from '../users/asked';
import { OperatorRefusal } from '../users/operators';
import { ActionError } from './errors';

const denials = [ActionError, OperatorRefusal, PaymentError, PeopleRefusal, TurnTaken];

export const isDenial = (error: unknown): boolean => denials.some((denial) => error instanceof denial);

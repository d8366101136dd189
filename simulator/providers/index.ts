import type { ProviderDefinition } from '../provider';
import { cardproc } from './cardproc';
import { momo } from './momo';
import { stk } from './stk';
import { walletpay } from './walletpay';
import { xb } from './xb';

/** Every simulated provider: one folder, one line. */
export const providers: readonly ProviderDefinition[] = [stk, momo, xb, walletpay, cardproc];

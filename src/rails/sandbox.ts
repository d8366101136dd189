import type { RailSandbox } from '../rail-kit/sandbox';
import { cardprocSandbox } from './cardproc/sandbox';
import { momoSandbox } from './momo/sandbox';
import { stkSandbox } from './stk/sandbox';
import { walletpaySandbox } from './walletpay/sandbox';
import { xbSandbox } from './xb/sandbox';

/** What the rails lend to the tools of the sandbox, by the rail; its provider has the same name. For tools alone. */
export const railSandboxes = {
  stk: stkSandbox,
  momo: momoSandbox,
  xb: xbSandbox,
  walletpay: walletpaySandbox,
  cardproc: cardprocSandbox,
} as const satisfies Record<string, RailSandbox>;

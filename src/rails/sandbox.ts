import type { RailSandbox } from '../rail-kit/sandbox';
import { cardprocSandbox } from './cardproc/sandbox';
import { momoSandbox } from './momo/sandbox';
import { stkSandbox } from './stk/sandbox';
import { walletpaySandbox } from './walletpay/sandbox';
import { xbSandbox } from './xb/sandbox';

/** What each rail provides for the tools of the sandbox; a rail's provider has the same name. Only tools use this. */
export const railSandboxes = {
  stk: stkSandbox,
  momo: momoSandbox,
  xb: xbSandbox,
  walletpay: walletpaySandbox,
  cardproc: cardprocSandbox,
} as const satisfies Record<string, RailSandbox>;

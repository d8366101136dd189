/** The routes of the payout pages, with their roles. */
import { roles } from '../../users/operators';
import { moneyRoles, type MerchantRole } from '../../users/roles';
import type { PortalRoute } from '../routes';
import type { AnyRole } from '../visit';
import { approveBatch, askFor, rejectBatch, showBatch } from './batch';
import { payouts } from './list';
import { exampleFile, makeMany, makeOne, newPayouts } from './new';

/** The roles that move money. */
const cashiers: readonly MerchantRole[] = moneyRoles;
/** Platform roles can read these pages too, with masked numbers. */
const lookers: readonly AnyRole[] = [...cashiers, ...roles];

/** Enough for a thousand payouts with a message each. */
const fileBytesMax = 1024 * 1024;

const path = '/m/:merchant/payouts';
const whileActive = true as const;
const toNew = ({ merchant = '' }: Readonly<Record<string, string>>) => `/m/${merchant}/payouts/new`;
const toBatch = ({ merchant = '', batch = '' }: Readonly<Record<string, string>>) =>
  `/m/${merchant}/payouts/${encodeURIComponent(batch)}`;

export const payoutRoutes: readonly PortalRoute[] = [
  { method: 'GET', path, who: lookers, handle: payouts },
  { method: 'GET', path: `${path}/new`, who: cashiers, provedAgain: toNew, handle: newPayouts },
  { method: 'GET', path: `${path}/example/:rail`, who: cashiers, handle: exampleFile },
  { method: 'POST', path: `${path}/one`, who: cashiers, whileActive, provedAgain: toNew, handle: makeOne },
  {
    method: 'POST',
    path: `${path}/file`,
    ...{ fileBytesMax, whileActive },
    who: cashiers,
    provedAgain: toNew,
    handle: makeMany,
  },
  { method: 'GET', path: `${path}/:batch`, who: lookers, handle: showBatch },
  ...(
    [
      ['ask', askFor],
      ['approve', approveBatch],
      ['reject', rejectBatch],
    ] as const
  ).map(([below, handle]): PortalRoute => ({
    method: 'POST',
    path: `${path}/:batch/${below}`,
    // Rejecting sends no money.
    ...(below !== 'reject' && { whileActive }),
    who: cashiers,
    provedAgain: toBatch,
    handle,
  })),
];

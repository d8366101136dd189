/** The routes of the platform pages, with their roles. */
import { roles, type Role } from '../../users/operators';
import type { PortalRoute } from '../routes';
import { approvals, approve, reject, auditLog } from './approvals';
import { cases, resolveCase, showCase } from './cases';
import { holds, releaseHold, resumeNow, pauseNow, showPauses } from './pauses';
import { addMerchant, merchants, setStatus, showUsers, signUserOut } from './merchants';
import { now } from './now';
import { assignUnmatched, returnUnmatched, showUnmatched } from './unmatched';
import { bringFile, compareDays, reconciliation, withdrawStatement } from './reconciliation';
import { searchPayments } from './search';
import { endFee, endLimit, merchantTerms, transferFloat, setFee, setLimit } from './terms';
import { troubledWebhooks } from './webhooks';

/** The roles that act, and the roles that approve requests; the same as in the command line. */
const actors: readonly Role[] = ['operator'];
const approvers: readonly Role[] = ['operator', 'approver'];
const platform = 'platform' as const;
/** Enough for a month of a busy account. The command line accepts larger files. */
const fileBytesMax = 16 * 1024 * 1024;

export const operationRoutes: readonly PortalRoute[] = [
  { method: 'GET', path: '/ops', who: platform, roles, handle: now },
  { method: 'GET', path: '/ops/cases', who: platform, roles, handle: cases },
  { method: 'GET', path: '/ops/cases/:case', who: platform, roles, handle: showCase },
  {
    method: 'POST',
    path: '/ops/cases/:case/resolve',
    who: platform,
    roles: actors,
    provedAgain: ({ case: id = '' }) => `/ops/cases/${encodeURIComponent(id)}`,
    handle: resolveCase,
  },
  { method: 'GET', path: '/ops/payments', who: platform, roles, handle: searchPayments },
  { method: 'GET', path: '/ops/merchants', who: platform, roles, handle: merchants },
  { method: 'GET', path: '/ops/merchants/:shop', who: platform, roles, handle: merchantTerms },
  ...(
    [
      ['float', transferFloat],
      ['limit', setLimit],
      ['limit/remove', endLimit],
      ['fee', setFee],
      ['fee/remove', endFee],
    ] as const
  ).map(([below, handle]): PortalRoute => ({
    method: 'POST',
    path: `/ops/merchants/:shop/${below}`,
    who: platform,
    roles: actors,
    provedAgain: ({ shop = '' }) => `/ops/merchants/${encodeURIComponent(shop)}`,
    handle,
  })),
  { method: 'GET', path: '/ops/webhooks', who: platform, roles, handle: troubledWebhooks },
  { method: 'GET', path: '/ops/reconciliation', who: platform, roles, handle: reconciliation },
  {
    method: 'POST',
    path: '/ops/reconciliation/file',
    fileBytesMax,
    who: platform,
    roles: actors,
    provedAgain: () => '/ops/reconciliation',
    handle: bringFile,
  },
  {
    method: 'POST',
    path: '/ops/reconciliation/statements/:statement/withdraw',
    who: platform,
    roles: actors,
    provedAgain: () => '/ops/reconciliation',
    handle: withdrawStatement,
  },
  { method: 'GET', path: '/ops/unmatched/:unmatched', who: platform, roles, handle: showUnmatched },
  ...(
    [
      ['assign', assignUnmatched],
      ['returned', returnUnmatched],
    ] as const
  ).map(([below, handle]): PortalRoute => ({
    method: 'POST',
    path: `/ops/unmatched/:unmatched/${below}`,
    who: platform,
    roles: actors,
    provedAgain: ({ unmatched: id = '' }) => `/ops/unmatched/${encodeURIComponent(id)}`,
    handle,
  })),
  { method: 'GET', path: '/ops/pauses', who: platform, roles, handle: showPauses },
  { method: 'GET', path: '/ops/holds', who: platform, roles, handle: holds },
  { method: 'GET', path: '/ops/approvals', who: platform, roles, handle: approvals },
  { method: 'GET', path: '/ops/users', who: platform, roles, handle: showUsers },
  { method: 'GET', path: '/ops/audit', who: platform, roles, handle: auditLog },
  ...(
    [
      ['merchants', '', addMerchant, actors],
      ['merchants', '/:id/status', setStatus, actors],
      ['reconciliation', '', compareDays, actors],
      ['pauses', '', pauseNow, actors],
      ['pauses', '/end', resumeNow, actors],
      ['holds', '/:payment/release', releaseHold, actors],
      ['users', '/sign-out', signUserOut, actors],
      ['approvals', '/:id/approve', approve, approvers],
      ['approvals', '/:id/reject', reject, approvers],
    ] as const
  ).map(([page, below, handle, who]): PortalRoute => ({
    method: 'POST',
    path: `/ops/${page}${below}`,
    who: platform,
    roles: who,
    provedAgain: () => `/ops/${page}`,
    handle,
  })),
];

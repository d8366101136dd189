/** The pages of the platform, and who of it gets which. */
import { roles, type Role } from '../../users/operators';
import type { PortalRoute } from '../routes';
import { approvals, approve, reject, auditLog } from './approvals';
import { cases, resolveCase, showCase } from './cases';
import { holds, releaseHold, endStop, stopNow, stops } from './stops';
import { addMerchant, merchants, setStatus, people, signSomebodyOut } from './merchants';
import { now } from './now';
import { claimOrphan, returnedOrphan, showOrphan } from './orphan';
import { bringFile, compareDays, reconciliation, withdrawStatement } from './reconciliation';
import { searchPayments } from './search';
import { endFee, endLimit, merchantTerms, moveFloat, setFee, setLimit } from './terms';
import { troubledWebhooks } from './webhooks';

/** Who acts, and who approves what another has asked for: as the command line has it. */
const actors: readonly Role[] = ['operator'];
const approvers: readonly Role[] = ['operator', 'approver'];
const platform = 'platform' as const;
/** A month of a busy account; more is brought by the command line. */
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
      ['float', moveFloat],
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
  { method: 'GET', path: '/ops/orphans/:orphan', who: platform, roles, handle: showOrphan },
  ...(
    [
      ['claim', claimOrphan],
      ['returned', returnedOrphan],
    ] as const
  ).map(([below, handle]): PortalRoute => ({
    method: 'POST',
    path: `/ops/orphans/:orphan/${below}`,
    who: platform,
    roles: actors,
    provedAgain: ({ orphan: id = '' }) => `/ops/orphans/${encodeURIComponent(id)}`,
    handle,
  })),
  { method: 'GET', path: '/ops/stops', who: platform, roles, handle: stops },
  { method: 'GET', path: '/ops/holds', who: platform, roles, handle: holds },
  { method: 'GET', path: '/ops/approvals', who: platform, roles, handle: approvals },
  { method: 'GET', path: '/ops/people', who: platform, roles, handle: people },
  { method: 'GET', path: '/ops/audit', who: platform, roles, handle: auditLog },
  ...(
    [
      ['merchants', '', addMerchant, actors],
      ['merchants', '/:id/status', setStatus, actors],
      ['reconciliation', '', compareDays, actors],
      ['stops', '', stopNow, actors],
      ['stops', '/end', endStop, actors],
      ['holds', '/:payment/release', releaseHold, actors],
      ['people', '/sign-out', signSomebodyOut, actors],
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

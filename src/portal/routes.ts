/**
 * The one table of all pages and forms, with the roles that may use each. A test requests all of it as every role,
 * without a session, and as a member of another merchant.
 */
import { roles, type Role } from '../users/operators';
import { merchantRoles, moneyRoles, type MerchantRole } from '../users/roles';
import { operationRoutes } from './operations/routes';
import { changeLanguage, home } from './pages/home';
import {
  confirmAgain,
  showConfirm,
  checkCode,
  checkPassword,
  showSecondFactor,
  showSignIn,
  signOut,
} from './pages/sign-in';
import {
  newWebhookSecret,
  sendTest,
  setAccess,
  setAddresses,
  changeScopes,
  createKey,
  endKey,
} from './pages/developer-changes';
import { developers } from './pages/developers';
import { dismiss, duplicates } from './pages/duplicates';
import { addOne, changeSecretOfOne, endOne, endpoints } from './pages/endpoints';
import {
  askReset,
  openReset,
  setNewPassword,
  showForgot,
  showReset,
  acceptInvite,
  openInvitation,
  showInvitation,
} from './pages/mailed-links';
import { confirmOne, keys, refuseOne } from './pages/keys';
import { overview } from './pages/overview';
import {
  addOnePasskey,
  removeOnePasskey,
  showPasskeys,
  addApp,
  removeApp,
  showApp,
  changePassword,
  endOneSession,
  endOthers,
  newRecoveryCodes,
  security,
} from './pages/security';
import { payment, revealPhone } from './pages/payment';
import { cancel, refund, showCancel, showRefund } from './pages/payment-actions';
import { payments, paymentsFile } from './pages/payments';
import { changeSettings, settings } from './pages/settings';
import { statementFile, statements } from './pages/statements';
import { changeMember, inviteMember, removeFromTeam, team } from './pages/team';
import { resend, revealBody, webhook, webhooks } from './pages/webhooks';
import { payoutRoutes } from './payouts/routes';
import type { PageResponse, MerchantVisit, PlatformVisit, SignedInVisit, AnyRole, Visit } from './visit';

interface Common {
  method: 'GET' | 'POST';
  path: string;
  /** The maximum bytes of a form with a file. */
  fileBytesMax?: number;
}

/**
 * Routes that ask for the second factor again, unless the user showed it in the last minutes. Afterwards the browser
 * goes to the page that `provedAgain` returns.
 */
interface Dangerous {
  provedAgain?: (params: Readonly<Record<string, string>>) => string;
}

/** For a suspended merchant, the portal sends no money and gives no access. The API refuses its keys too. */
interface OfMerchant extends Dangerous {
  whileActive?: true;
}

export type PortalRoute = Common &
  (
    | { who: 'anybody'; handle(visit: Visit): Promise<PageResponse> }
    /** Users who have given the password, even if the second factor is missing. */
    | { who: 'half'; handle(visit: SignedInVisit): Promise<PageResponse> }
    | ({ who: 'person'; handle(visit: SignedInVisit): Promise<PageResponse> } & Dangerous)
    /** Pages of the platform; the path begins with /ops. Other users get `not found`. */
    | ({
        who: 'platform';
        roles: readonly Role[];
        handle(visit: PlatformVisit): Promise<PageResponse>;
      } & Dangerous)
    /** Pages of a merchant; the path begins with /m/:merchant. */
    | ({ who: readonly AnyRole[]; handle(visit: MerchantVisit): Promise<PageResponse> } & OfMerchant)
  );

/** Platform roles can read these pages too. */
const lookers: readonly AnyRole[] = [...merchantRoles, ...roles];
const owner: readonly MerchantRole[] = ['owner'];
const connectors: readonly MerchantRole[] = ['owner', 'developer'];
/** The roles that move money. */
const cashiers: readonly MerchantRole[] = moneyRoles;
/** The roles that see statements. */
const seesAccounts: readonly AnyRole[] = [...cashiers, ...roles];
/** The roles that confirm payout permission, and the developers who use the keys. */
const seesKeys: readonly AnyRole[] = [...cashiers, 'developer', ...roles];
const seesConnection: readonly AnyRole[] = [...connectors, ...roles];
/** The roles that can see a customer's full number on demand. */
const withCustomers: readonly (MerchantRole | Role)[] = ['owner', 'finance', 'developer', 'operator'];

const toPayment =
  (page: string) =>
  ({ merchant = '', payment: id = '' }: Readonly<Record<string, string>>) =>
    `/m/${merchant}/payments/${encodeURIComponent(id)}/${page}`;
const toDuplicates = ({ merchant = '' }: Readonly<Record<string, string>>) => `/m/${merchant}/duplicates`;
const toTeam = ({ merchant = '' }: Readonly<Record<string, string>>) => `/m/${merchant}/team`;
const toSettings = ({ merchant = '' }: Readonly<Record<string, string>>) => `/m/${merchant}/settings`;
const toDevelopers = ({ merchant = '' }: Readonly<Record<string, string>>) => `/m/${merchant}/developers`;
const toKeys = ({ merchant = '' }: Readonly<Record<string, string>>) => `/m/${merchant}/keys`;
const toEndpoints = ({ merchant = '' }: Readonly<Record<string, string>>) => `/m/${merchant}/endpoints`;
const toSecurity = () => '/security';

export const portalRoutes: readonly PortalRoute[] = [
  { method: 'GET', path: '/sign-in', who: 'anybody', handle: showSignIn },
  { method: 'POST', path: '/sign-in', who: 'anybody', handle: checkPassword },
  { method: 'GET', path: '/forgot', who: 'anybody', handle: showForgot },
  { method: 'POST', path: '/forgot', who: 'anybody', handle: askReset },
  { method: 'GET', path: '/reset/:token', who: 'anybody', handle: openReset },
  { method: 'GET', path: '/reset', who: 'anybody', handle: showReset },
  { method: 'POST', path: '/reset', who: 'anybody', handle: setNewPassword },
  { method: 'GET', path: '/invitation/:token', who: 'anybody', handle: openInvitation },
  { method: 'GET', path: '/invitation', who: 'anybody', handle: showInvitation },
  { method: 'POST', path: '/invitation', who: 'anybody', handle: acceptInvite },
  { method: 'POST', path: '/language', who: 'anybody', handle: changeLanguage },
  { method: 'GET', path: '/second-factor', who: 'half', handle: showSecondFactor },
  { method: 'POST', path: '/second-factor', who: 'half', handle: checkCode },
  { method: 'POST', path: '/sign-out', who: 'half', handle: signOut },
  // In live, a user without a second factor can reach only these pages, to add one.
  { method: 'GET', path: '/security/app', who: 'half', handle: showApp },
  { method: 'POST', path: '/security/app', who: 'half', handle: addApp },
  { method: 'GET', path: '/security/passkey', who: 'half', handle: showPasskeys },
  { method: 'POST', path: '/security/passkey', who: 'half', handle: addOnePasskey },
  { method: 'GET', path: '/', who: 'person', handle: home },
  { method: 'GET', path: '/confirm', who: 'person', handle: showConfirm },
  { method: 'POST', path: '/confirm', who: 'person', handle: confirmAgain },
  { method: 'GET', path: '/security', who: 'person', handle: security },
  { method: 'POST', path: '/security/sessions/end', who: 'person', handle: endOneSession },
  { method: 'POST', path: '/security/sessions/end-others', who: 'person', handle: endOthers },
  { method: 'POST', path: '/security/app/remove', who: 'person', provedAgain: toSecurity, handle: removeApp },
  {
    method: 'POST',
    path: '/security/passkey/remove',
    who: 'person',
    provedAgain: toSecurity,
    handle: removeOnePasskey,
  },
  {
    method: 'POST',
    path: '/security/recovery-codes',
    who: 'person',
    provedAgain: toSecurity,
    handle: newRecoveryCodes,
  },
  {
    method: 'POST',
    path: '/security/password',
    who: 'person',
    provedAgain: toSecurity,
    handle: changePassword,
  },
  { method: 'GET', path: '/m/:merchant', who: lookers, handle: overview },
  { method: 'GET', path: '/m/:merchant/payments', who: lookers, handle: payments },
  { method: 'GET', path: '/m/:merchant/payments/file', who: lookers, handle: paymentsFile },
  { method: 'GET', path: '/m/:merchant/payments/:payment', who: lookers, handle: payment },
  { method: 'POST', path: '/m/:merchant/payments/:payment/phone', who: withCustomers, handle: revealPhone },
  ...(
    [
      ['GET', 'refund', showRefund],
      ['POST', 'refund', refund],
      ['GET', 'cancel', showCancel],
      ['POST', 'cancel', cancel],
    ] as const
  ).map(([method, page, handle]): PortalRoute => ({
    method,
    path: `/m/:merchant/payments/:payment/${page}`,
    ...(method === 'POST' && { whileActive: true as const }),
    who: cashiers,
    provedAgain: toPayment(page),
    handle,
  })),
  ...payoutRoutes,
  { method: 'GET', path: '/m/:merchant/duplicates', who: lookers, handle: (visit) => duplicates(visit) },
  {
    method: 'POST',
    path: '/m/:merchant/duplicates/:payment/dismiss',
    who: cashiers,
    provedAgain: toDuplicates,
    handle: dismiss,
  },
  { method: 'GET', path: '/m/:merchant/statements', who: seesAccounts, handle: statements },
  { method: 'GET', path: '/m/:merchant/statements/file', who: seesAccounts, handle: statementFile },
  { method: 'GET', path: '/m/:merchant/developers', who: seesConnection, handle: developers },
  ...(
    [
      ['keys', createKey],
      ['keys/revoke', endKey],
      ['keys/scopes', changeScopes],
      ['addresses', setAddresses],
      ['access', setAccess],
      ['webhook-secret', newWebhookSecret],
    ] as const
  ).map(([below, handle]): PortalRoute => ({
    method: 'POST',
    path: `/m/:merchant/developers/${below}`,
    // Revoking a key gives no access.
    ...(below !== 'keys/revoke' && { whileActive: true as const }),
    who: connectors,
    provedAgain: toDevelopers,
    handle,
  })),
  { method: 'GET', path: '/m/:merchant/keys', who: seesKeys, handle: (visit) => keys(visit) },
  ...(
    [
      ['confirm', confirmOne],
      ['refuse', refuseOne],
    ] as const
  ).map(([below, handle]): PortalRoute => ({
    method: 'POST',
    path: `/m/:merchant/keys/:confirmation/${below}`,
    // Rejecting a request gives no access.
    ...(below !== 'refuse' && { whileActive: true as const }),
    who: cashiers,
    provedAgain: toKeys,
    handle,
  })),
  {
    method: 'GET',
    path: '/m/:merchant/endpoints',
    who: seesConnection,
    handle: (visit) => endpoints(visit),
  },
  ...(
    [
      ['', addOne],
      ['/:endpoint/secret', changeSecretOfOne],
      ['/:endpoint/end', endOne],
    ] as const
  ).map(([below, handle]): PortalRoute => ({
    method: 'POST',
    path: `/m/:merchant/endpoints${below}`,
    ...(below !== '/:endpoint/end' && { whileActive: true as const }),
    who: connectors,
    provedAgain: toEndpoints,
    handle,
  })),
  {
    method: 'POST',
    path: '/m/:merchant/developers/test',
    who: connectors,
    whileActive: true,
    handle: sendTest,
  },
  { method: 'GET', path: '/m/:merchant/webhooks', who: seesConnection, handle: webhooks },
  {
    method: 'GET',
    path: '/m/:merchant/webhooks/:webhook',
    who: seesConnection,
    handle: (visit) => webhook(visit),
  },
  { method: 'POST', path: '/m/:merchant/webhooks/:webhook/body', who: connectors, handle: revealBody },
  {
    method: 'POST',
    path: '/m/:merchant/webhooks/:webhook/resend',
    who: connectors,
    whileActive: true,
    handle: resend,
  },
  { method: 'GET', path: '/m/:merchant/settings', who: lookers, handle: (visit) => settings(visit) },
  {
    method: 'POST',
    path: '/m/:merchant/settings',
    who: owner,
    provedAgain: toSettings,
    handle: changeSettings,
  },
  { method: 'GET', path: '/m/:merchant/team', who: lookers, handle: team },
  {
    method: 'POST',
    path: '/m/:merchant/team/invite',
    who: owner,
    provedAgain: toTeam,
    handle: inviteMember,
  },
  { method: 'POST', path: '/m/:merchant/team/role', who: owner, provedAgain: toTeam, handle: changeMember },
  {
    method: 'POST',
    path: '/m/:merchant/team/remove',
    who: owner,
    provedAgain: toTeam,
    handle: removeFromTeam,
  },
  ...operationRoutes,
];

/** Mails about actions, to the operators who can approve and to the owners of a merchant. Without a portal there is no mail. */
import { ConfigError } from '../config';
import { enqueueMail } from '../mail/enqueue-mail';
import { hasRight, type Role } from '../users/operators';
import { approvalWaitsMail, type MailContext } from '../portal/mails';
import type { Transaction } from '../store/database';
import type { ActionScope, Deployment } from './action';
import type { ActionTexts } from './wording';

export async function mailApprovers(
  deployment: Pick<Deployment, 'portal'>,
  trx: Transaction,
  { by, approvalId, texts }: { by: string; approvalId: string; texts: ActionTexts },
): Promise<void> {
  const { url, sendsMail } = portalOf(deployment);
  if (!sendsMail) return;
  const others = await trx('users as u')
    .join('operators as o', 'o.name', 'u.operator_name')
    .whereNull('u.ended_at')
    .whereNull('o.revoked_at')
    .whereNot('o.name', by)
    .select<{ email: string; locale: string; role: Role }[]>('u.email', 'u.locale', 'o.role');
  for (const one of others.filter((operator) => hasRight(operator, 'approve')))
    await enqueueMail(trx, approvalWaitsMail(url, one, { approvalId, texts }));
}

/** The data of mails to the owners of a merchant. They name the operator, as the audit log does. */
export function ownerMail({ acting, config, portal }: ActionScope, merchantId: string): MailContext {
  return { ...portalOf({ portal }), timezone: config.timezone, merchantId, who: acting.by };
}

/** The portal's address, and whether mails are sent; none without a portal. */
function portalOf({ portal }: Pick<Deployment, 'portal'>): { url: string; sendsMail: boolean } {
  try {
    return portal();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { url: '', sendsMail: false };
  }
}

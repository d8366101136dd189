/** Mails about actions: to the operators who can approve, and to the owners of a merchant. No portal, no mail. */
import { ConfigError } from '../config';
import { enqueueMail } from '../mail/enqueue-mail';
import { may, type Role } from '../users/operators';
import { approvalWaitsMail, type Telling } from '../portal/mails';
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
  for (const one of others.filter((operator) => may(operator, 'approve')))
    await enqueueMail(trx, approvalWaitsMail(url, one, { approvalId, texts }));
}

/** For mails to the owners of a merchant: they name the operator, as the audit log does. */
export function ownerMail({ acting, config, portal }: ActionScope, merchantId: string): Telling {
  return { ...portalOf({ portal }), timezone: config.timezone, merchantId, who: acting.by };
}

/** Without a portal no mail is sent. */
function portalOf({ portal }: Pick<Deployment, 'portal'>): { url: string; sendsMail: boolean } {
  try {
    return portal();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { url: '', sendsMail: false };
  }
}

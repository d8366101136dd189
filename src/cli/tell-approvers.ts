/** A mail to whoever could approve what one operator has asked for, where there is a portal that sends any. */
import { enqueueMail } from '../mail/enqueue-mail';
import { may, type Role } from '../operators/operators';
import { ConfigError } from '../config';
import { approvalWaitsMail } from '../portal/mails';
import type { Transaction } from '../store/database';
import type { ApprovalTexts } from './approval-sentences';
import type { OpenSession } from './session';

export async function tellApprovers(
  session: Pick<OpenSession, 'portal'>,
  trx: Transaction,
  { by, approvalId, texts }: { by: string; approvalId: string; texts: ApprovalTexts },
): Promise<void> {
  const url = portalOf(session);
  if (url === undefined) return;
  const others = await trx('users as u')
    .join('operators as o', 'o.name', 'u.operator_name')
    .whereNull('u.ended_at')
    .whereNull('o.revoked_at')
    .whereNot('o.name', by)
    .select<{ email: string; locale: string; role: Role }[]>('u.email', 'u.locale', 'o.role');
  for (const one of others.filter((operator) => may(operator, 'approve')))
    await enqueueMail(trx, approvalWaitsMail(url, one, { approvalId, texts }));
}

/** @returns undefined where no portal is set, or none that mails. */
function portalOf({ portal }: Pick<OpenSession, 'portal'>): string | undefined {
  try {
    const { url, sendsMail } = portal();
    return sendsMail ? url : undefined;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

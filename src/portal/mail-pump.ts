/** Hands the portal's mails to the server: each until it is taken, however often this process is killed meanwhile. */
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import { giveUpMail, sendMail } from '../mail/send-mail';
import type { MailTransport } from '../mail/transport';
import { takeToken } from '../merchants/rate-limit';
import type { Database } from '../store/database';
import { portalMailKinds } from './mails';

const lookEveryMs = 1_000;
const atOnce = 20;
/** As long as an invitation works. */
const givenUpAfterHours = 72;

/** Once a minute for each mail, of all processes together. */
const oncePerMinute = { ratePerMinute: 1, burst: 1 };

export async function sendWaitingMails(db: Database, transport: MailTransport): Promise<void> {
  const waiting = await db('mails')
    .where({ state: 'new' })
    .whereIn('kind', [...portalMailKinds])
    .orderBy('created_at')
    .limit(atOnce)
    .select<{ mail_id: string; is_old: number | string }[]>(
      'mail_id',
      db.raw(`(created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(givenUpAfterHours)} HOUR) AS is_old`),
    );
  for (const { mail_id: mailId, is_old: isOld } of waiting) {
    if (Number(isOld) === 1) await giveUpMail(db, mailId);
    else if ((await takeToken(db, { bucket: `portal:sends:${mailId}`, ...oncePerMinute })).allowed)
      await sendMail(db, transport, mailId);
  }
}

export function startMailPump(db: Database, transport: MailTransport, log: Log): Repeating {
  return repeat(() => sendWaitingMails(db, transport), {
    ...{ everyMs: lookEveryMs, firstMs: 0, log },
    otherwise: 'mails could not be sent',
  });
}

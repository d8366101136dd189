import type { NotificationRoute, RailApi } from '../../rail-kit/rail';
import { toyNotificationAbout } from './description';

export const notificationPath = '/in/toy';

/** Notifications are unsigned: one only causes a status query. */
export function toyNotifications({ db }: RailApi): NotificationRoute[] {
  return [
    {
      method: 'POST',
      path: notificationPath,
      about: toyNotificationAbout,
      async receive({ rawBody }) {
        const acknowledgement = { status: 200, body: { ok: true } };
        const id = idIn(rawBody.toString('utf8'));
        const payment = await db('payments').where({ rail: 'toy', provider_reference: id }).first();
        if (!payment) return { kind: 'answer', ...acknowledgement };
        return { kind: 'unverified', payment, body: JSON.stringify({ id }), acknowledgement };
      },
    },
  ];
}

function idIn(text: string): string {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return typeof id === 'string' && /^[\x21-\x7e]{1,40}$/.test(id) ? id : '';
  } catch {
    return '';
  }
}

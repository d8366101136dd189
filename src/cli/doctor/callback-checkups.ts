import { attention, ok } from '../../domain/diagnosis';
import { findHealth } from '../../payments/resolve/callbacks/health';
import { refusalsSince } from '../../payments/resolve/callbacks/counts';
import type { CallbackHealthRow } from '../../store/tables';
import { ageText } from '../table';
import type { Checkup } from './checkup';

const hour = 3_600_000;

/** Whether providers tell us what becomes of payments, or we live on asking. */
export const callbackCheckups: Checkup[] = [
  {
    name: 'callbacks',
    async examine({ db, config }) {
      const [health, refused] = await Promise.all([
        findHealth(db),
        refusalsSince(db, new Date(Date.now() - hour)),
      ]);
      const stopped = health.filter(({ verdict }) => verdict === 'stopped');
      if (stopped.length > 0) {
        const which = stopped.map((row) => `${nameOf(row)} (for ${sinceText(row)})`).join(', ');
        const rails = [...new Set(stopped.map(({ rail }) => rail))];
        const refusals = rails.map((rail) => `${String(refused.get(rail) ?? 0)} of ${rail}`).join(', ');
        return attention(
          `No callback comes any more of ${which}: payments settle late, when we ask. Refused in the last hour: ${refusals}.`,
          `the callback URL at the provider (it must lead to ${config.publicUrl}), the firewall and the proxy before the API, the list of allowed addresses, the key or secret of its signatures; see malipo doctor --live ${rails[0] ?? ''}`,
        );
      }
      const late = health.filter(({ verdict }) => verdict === 'late');
      if (late.length > 0)
        return attention(
          `Callbacks of ${late.map(nameOf).join(', ')} come late, or not all of them; see malipo callbacks.`,
        );
      return health.length === 0
        ? ok('No payment that a callback was expected of ended longer than two minutes ago.')
        : ok('Callbacks come, or too few payments end to tell.');
    },
  },
];

function nameOf({ rail, account, kind }: CallbackHealthRow): string {
  return `${rail} ${kind}s${account === rail ? '' : ` through ${account}`}`;
}

function sinceText({ since }: CallbackHealthRow): string {
  return ageText(Date.now() - since.getTime());
}

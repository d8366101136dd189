import { limitKinds } from '../../controls/limits';
import { attention, ok } from '../../domain/diagnosis';
import type { Checkup } from './checkup';

const refusing = Object.entries(limitKinds).flatMap(([kind, { refuses }]) => (refuses ? [kind] : []));

/** Whether each merchant has limits on what it pays out that somebody has thought about. */
export const limitCheckups: Checkup[] = [
  {
    name: 'limits on payouts',
    async examine({ config, db, outflowDefaults }) {
      const unbounded = await db('merchants as m')
        .where('m.status', 'active')
        .whereNotExists(
          db('outflow_limits as l')
            .whereRaw('(l.merchant_id IS NULL OR l.merchant_id = m.merchant_id)')
            .where('l.ended_at', null)
            .whereIn('l.kind', refusing),
        )
        .count<{ n: string | number }[]>({ n: '*' });
      const n = Number(unbounded[0]?.n ?? 0);
      if (n === 0) return ok('Every merchant has a limit on what it pays out.');
      const bound = outflowDefaults ? 'but the default ones' : 'at all';
      const sentence = `${String(n)} merchants have no limit on what they pay out ${bound}; see malipo limit set.`;
      return config.environment === 'live' ? attention(sentence) : ok(sentence);
    },
  },
];

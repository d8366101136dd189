import { isReady, type ReadinessCheck } from '../../api/health';
import type { Log } from '../../domain/log';
import type { Metrics } from '../metrics';
import type { Figures } from './figures';

/** What /readyz says to a load balancer, for whoever is woken. */
export function readinessFigures(
  metrics: Pick<Metrics, 'ready'>,
  checks: readonly ReadinessCheck[],
  log: Log,
): Figures {
  return {
    what: 'whether this process is ready',
    everyMs: 10_000,
    async show() {
      await Promise.all(
        checks.map(async (one) => {
          metrics.ready(one.name, await isReady(one, log));
        }),
      );
    },
  };
}

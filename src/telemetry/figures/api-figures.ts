/** All that an API process shows of the world around it, beside what it does itself. */
import type { Client } from '@temporalio/client';
import type { Config } from '../../config';
import type { ReadinessCheck } from '../../api/health';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Metrics } from '../metrics';
import { databaseClock } from './database-clock-figures';
import type { Figures } from './figures';
import { floatFigures } from './float-figures';
import { openWork } from './open-work';
import { readinessFigures } from './readiness-figures';
import { stuckWork } from './stuck-work';
import { taskQueueFigures } from './task-queue-figures';

export interface Seen {
  context: Pick<PaymentsContext, 'db' | 'rails' | 'log'>;
  client: Client;
  config: Pick<Config, 'temporalNamespace' | 'taskQueue'>;
  readiness: readonly ReadinessCheck[];
}

export function apiFigures(metrics: Metrics, { context, client, config, readiness }: Seen): Figures[] {
  const { registers } = metrics;
  return [
    stuckWork(registers, context.db),
    openWork(registers, context),
    floatFigures(registers, context),
    taskQueueFigures(registers, client, config),
    databaseClock(registers, context.db),
    readinessFigures(metrics, readiness, context.log),
  ];
}

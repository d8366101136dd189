/** The engine of a rail without a provider: a stub worker runs its workflows. */
import { createEngine, type Engine } from '../../../src/rail-kit/engine';
import { railsOfEnv } from '../../support/expect-clean';
import type { StubWorker } from './stub-worker';

const env = {
  STK_BASE_URL: 'https://api.example.com',
  STK_CONSUMER_KEY: 'key',
  STK_CONSUMER_SECRET: 'secret',
  STK_PASSKEY: 'passkey',
  STK_SHORTCODE: '174379',
  MALIPO_SANDBOX_TIME_SCALE: '1',
};

export function stkEngine(
  { client, taskQueue }: Pick<StubWorker, 'client' | 'taskQueue'>,
  environment: 'live' | 'sandbox',
): Engine {
  return createEngine(client, railsOfEnv(env, ['stk']), {
    taskQueue,
    environment,
    creationTimeoutMs: 20_000,
  });
}

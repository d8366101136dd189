import type { Ask } from './ask';
import { recordOf } from './transaction';

/** An unknown key id makes us look once; a stranger who sends many does not make us ask the provider each time. */
const lookAgainAfterMs = 10_000;

/** The provider's signing keys by id. */
export function publicKeys(ask: Ask): (keyId: string) => Promise<string | undefined> {
  let keys = new Map<string, string>();
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    lookedAt = performance.now();
    const answer = await ask('keys', 'GET', '/v2/public-key/http');
    if (answer.kind !== 'answered' || answer.status !== 200 || !Array.isArray(answer.json)) return;
    keys = new Map(
      answer.json.map(recordOf).flatMap(({ id, key }) => {
        const pair: [string, string][] = typeof id === 'string' && typeof key === 'string' ? [[id, key]] : [];
        return pair;
      }),
    );
  }

  return async (keyId) => {
    if (!keys.has(keyId) && performance.now() - lookedAt > lookAgainAfterMs) {
      looking ??= look().finally(() => (looking = undefined));
    }
    await looking;
    return keys.get(keyId);
  };
}

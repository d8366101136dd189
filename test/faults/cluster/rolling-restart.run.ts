/**
 * Every process of a deployment is restarted, one after the other, while five payments a second come in through the
 * balancer. It uses servers of its own.
 */
import { expectClean } from '../../support/expect-clean';
import { startStack, type OwnStack, type TestMerchant } from '../../support/stack';
import { everythingEndsWell } from '../support/ending-well';
import { ownCluster, type OwnCluster } from './support/own-cluster';
import { historyOfSlowest } from './support/slowest-payment';
import { failedOf, slowestOf, steadyLoad, type SentRequest } from './support/steady-load';

jest.setTimeout(900_000);

/** The limit for a machine without other load. */
const promisedMs = 5_000;
/** Accepted between two restarts, so that the previous one is finished. */
const between = 15;

interface UnderLoad {
  asked: readonly SentRequest[];
  slowestMs: number;
  slowestAloneMs: number;
}

describe('a rolling restart at 5 payments a second', () => {
  let cluster: OwnCluster;
  let stack: OwnStack;
  let merchant: TestMerchant;
  /** Accepted so far, of all loads. */
  const accepted: string[] = [];
  beforeAll(async () => {
    cluster = await ownCluster();
    stack = await startStack({
      timeScale: 20,
      database: cluster.database,
      env: cluster.temporal.settings,
    });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await stack.stop();
    await cluster.end();
  });

  /**
   * Restarts one after the other under the load. @returns the requests meanwhile, and the slowest time without
   * restarts.
   */
  async function underLoad(restarts: Record<string, () => Promise<void>>): Promise<UnderLoad> {
    const load = steadyLoad(stack, merchant);
    const begun: { name: string; atMs: number; tookMs: number }[] = [];
    try {
      await load.acceptMore(2 * between);
      for (const [name, restart] of Object.entries(restarts)) {
        const atMs = performance.now();
        await restart();
        begun.push({ name, atMs, tookMs: performance.now() - atMs });
        await load.acceptMore(between);
      }
      await load.end();
      const isAlone = ({ beganMs }: SentRequest) => beganMs < (begun[0]?.atMs ?? 0);
      const [alone, during] = [true, false].map((is) => load.asked.filter((one) => isAlone(one) === is));
      return {
        asked: load.asked,
        slowestMs: slowestOf(during ?? []),
        slowestAloneMs: slowestOf(alone ?? []),
      };
    } finally {
      await load.end();
      accepted.push(...load.asked.flatMap(({ paymentId }) => paymentId ?? []));
      process.stdout.write(tableOf(begun, load.asked));
    }
  }

  function tableOf(
    begun: { name: string; atMs: number; tookMs: number }[],
    asked: readonly SentRequest[],
  ): string {
    const rows = begun.map(({ name, atMs, tookMs }, n) => {
      const untilMs = begun[n + 1]?.atMs ?? Infinity;
      const during = asked.filter(({ beganMs }) => beganMs >= atMs && beganMs < untilMs);
      const failed = failedOf(during).length;
      return `${name}: away and back in ${tookMs.toFixed(0)} ms; ${during.length} asked, ${failed} failed, slowest ${slowestOf(during).toFixed(0)} ms`;
    });
    const before = asked.filter(({ beganMs }) => beganMs < (begun[0]?.atMs ?? Infinity));
    return `before: ${before.length} asked, slowest ${slowestOf(before).toFixed(0)} ms\n${rows.join('\n')}\n`;
  }

  /** A machine with other load is as slow without a restart. */
  async function expectUnnoticed({ asked, slowestMs, slowestAloneMs }: UnderLoad): Promise<void> {
    const limitMs = Math.max(promisedMs, 3 * slowestAloneMs);
    if (slowestMs >= limitMs)
      process.stdout.write((await historyOfSlowest(cluster.temporal, stack.db, asked)) ?? '');
    expect(failedOf(asked)).toEqual([]);
    expect(slowestMs).toBeLessThan(limitMs);
  }

  async function endsWell(): Promise<void> {
    await everythingEndsWell(stack, { merchants: [merchant], accepted, timeoutMs: 180_000 });
    await expectClean(stack);
    expect(new Set(accepted).size).toBe(accepted.length);
  }

  it.each(['api', 'worker'] as const)(
    'of each %s fails no request, delays none, and loses nothing',
    async (kind) => {
      await expectUnnoticed(
        await underLoad(
          Object.fromEntries(stack.names(kind).map((name) => [name, () => stack.restart(name)])),
        ),
      );
      await endsWell();
    },
  );

  it("of each process of Temporal's services fails no request, delays none, and loses nothing", async () => {
    const restarts = cluster.temporal.services.map(
      (service) => [service.instance.name, () => cluster.restart(service)] as const,
    );
    await expectUnnoticed(await underLoad(Object.fromEntries(restarts)));
    await endsWell();
  });

  it("of Temporal's only database fails no request, and loses nothing", async () => {
    const { asked } = await underLoad({ PostgreSQL: () => cluster.restart(cluster.temporal.postgres) });
    expect(failedOf(asked)).toEqual([]);
    await endsWell();
  });

  it('of the only database answers merchants when to retry while it is down, and loses nothing', async () => {
    const { asked } = await underLoad({ MariaDB: () => cluster.restart(cluster.mysql) });
    for (const { status, retryAfter } of failedOf(asked)) {
      expect([status, retryAfter]).toEqual([503, expect.stringMatching(/^[1-9]\d*$/)]);
    }
    await endsWell();
  });
});

/**
 * Saved histories of real runs are replayed with the current workflow code: a change that would block an open payment
 * fails here first. `MALIPO_SAVE_HISTORIES=1 npx jest test/e2e/workflows/replay` adds missing ones. A saved history
 * stands for open payments: it stays unchanged, and the code must keep replaying it.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { DefaultLogger, Runtime, Worker, bundleWorkflowCode, type ReplayResult } from '@temporalio/worker';
import { bundleFile, historiesFolder } from '../../../src/worker/versions/build';
import { newestRelease, releases } from '../../support/releases';
import { oneStepMore, patchedStep } from './another-build';
import { saveMissingHistories, recordings } from './save-histories';

const dist = join(__dirname, '..', '..', '..', 'dist');
const folder = join(newestRelease, historiesFolder);

interface SavedHistory {
  events: SavedEvent[];
}

/** The number of EVENT_TYPE_TIMER_STARTED. */
const timerStarted = 17;

/** The number of EVENT_TYPE_WORKFLOW_TASK_SCHEDULED. */
const workflowTaskScheduled = 5;
/** Activities, timers and markers of local activities. */
const summarised = new Set([10, timerStarted, 25]);

interface SavedEvent {
  eventType: number;
  userMetadata?: { summary?: unknown };
  upsertWorkflowSearchAttributesEventAttributes?: unknown;
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  timerStartedEventAttributes?: { timerId: string };
}

const saved = (name: string) =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as SavedHistory;

describe('the workflow code', () => {
  let codePath: { code: string };
  beforeAll(async () => {
    if (process.env.MALIPO_SAVE_HISTORIES === '1') await saveMissingHistories(folder);
    const logger = new DefaultLogger('ERROR');
    Runtime.install({ logger, telemetryOptions: { logging: { filter: 'off' } } });
    codePath = await bundleWorkflowCode({
      workflowsPath: require.resolve('../../../workflows'),
      preloadModules: [require.resolve('../../../workflows/without-stacks')],
      payloadConverterPath: require.resolve('../../../workflows/lenient-payloads'),
      logger,
    });
  });
  afterAll(() => Runtime.instance().shutdown());

  async function replay(history: SavedHistory): Promise<ReplayResult> {
    const results = Worker.runReplayHistories({ workflowBundle: codePath }, [
      { workflowId: 'replayed', history },
    ]);
    const replayed: ReplayResult[] = [];
    for await (const result of results) replayed.push(result);
    const [only] = replayed;
    if (!only) throw new Error('nothing was replayed');
    return only;
  }

  it('has a history of every way a payment can go, and no other', () => {
    const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
    expect(names.sort()).toEqual([...recordings].sort());
  });

  const ofAll = releases.flatMap((release) =>
    readdirSync(join(release, historiesFolder)).map((file) => ({
      title: `${basename(release)}: ${file}`,
      path: join(release, historiesFolder, file),
    })),
  );
  it.each(ofAll)('still replays $title', async ({ path }) => {
    expect((await replay(JSON.parse(readFileSync(path, 'utf8')) as SavedHistory)).error).toBeUndefined();
  });

  describe('with one step more', () => {
    const payments = recordings.filter((name) => /^(stk|momo|wallet|hosted|xb)-/.test(name));
    /** @returns the histories that have other steps. */
    async function differing(change: (code: string) => string, names: string[]): Promise<string[]> {
      const workflowBundle = { code: change(readFileSync(join(dist, bundleFile), 'utf8')) };
      const histories = names.map((name) => ({ workflowId: name, history: saved(name) }));
      const found: string[] = [];
      for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
        if (error && !(error instanceof DeterminismViolationError)) throw error;
        if (error) found.push(workflowId);
      }
      return found;
    }

    it('that is patched, replays every history', async () => {
      expect(await differing(patchedStep, recordings)).toEqual([]);
    });

    it('that is not patched, replays none of a payment', async () => {
      expect((await differing(oneStepMore, payments)).sort()).toEqual([...payments].sort());
    });
  });

  describe('does within its tasks', () => {
    const activitiesOf = (tale: string) =>
      saved(tale).events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled ? [scheduled.activityType.name] : [],
      );

    it.each(['stk-succeeded', 'stk-failed', 'momo-deposit-succeeded', 'momo-payout-succeeded'])(
      'everything for %s, in seventeen events',
      (tale) => {
        expect(activitiesOf(tale)).toEqual([]);
        expect(saved(tale).events).toHaveLength(17);
      },
    );

    /** Provider notifications that come one by one cost a task each: five events. */
    it.each([
      'stk-succeeded',
      'momo-deposit-succeeded',
      'momo-payout-succeeded',
      'momo-refund-succeeded',
      'xb-push-succeeded',
      'wallet-order-paid',
      'wallet-payout-succeeded',
      'hosted-order-taken-up-again',
    ])(
      '%s, in at most eighteen events and five for each further task, with one search attribute change',
      (tale) => {
        const { events } = saved(tale);
        const tasks = events.filter(({ eventType }) => eventType === workflowTaskScheduled).length;
        expect(events.length).toBeLessThanOrEqual(18 + 5 * Math.max(0, tasks - 2));
        const changes = events.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes);
        expect(changes.length).toBeLessThanOrEqual(1);
      },
    );

    it('and says for each local activity, activity and timer what it does', () => {
      const unnamed = recordings.flatMap((name) =>
        saved(name)
          .events.filter(
            ({ eventType, userMetadata }) => summarised.has(eventType) && userMetadata?.summary === undefined,
          )
          .map(({ eventType }) => `${name}: ${String(eventType)}`),
      );
      expect(unnamed).toEqual([]);
    });

    it('no webhook while a caller waits for an answer', () => {
      expect(activitiesOf('stk-refused')).toEqual(['sendWebhook']);
      expect(activitiesOf('momo-payout-cancelled-by-its-merchant')).toContain('sendWebhook');
    });

    it('no second attempt', () => {
      expect(activitiesOf('stk-webhook-retried')).toEqual(['sendWebhook']);
    });
  });

  describe('that had changed would be noticed', () => {
    const tampered = (tale: string, change: (event: SavedEvent) => void) => {
      const history = saved(tale);
      history.events.forEach(change);
      return replay(history);
    };

    it('by an activity with another name', async () => {
      const { error } = await tampered('stk-refused', (event) => {
        if (event.activityTaskScheduledEventAttributes)
          event.activityTaskScheduledEventAttributes.activityType.name = 'capture';
      });
      expect(error?.message).toMatch(/nondeterminism/i);
    });

    it('by a removed step', async () => {
      const { error } = await tampered('stk-succeeded', (event) => {
        if (event.upsertWorkflowSearchAttributesEventAttributes === undefined) return;
        delete event.upsertWorkflowSearchAttributesEventAttributes;
        event.eventType = timerStarted;
        event.timerStartedEventAttributes = { timerId: '99' };
      });
      expect(error?.message).toMatch(/nondeterminism/i);
    });
  });
});

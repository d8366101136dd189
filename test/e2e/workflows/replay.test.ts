/**
 * Saved histories of real runs are replayed against the workflow code as it is now: a change that would make a payment
 * under way stick fails here first. `MALIPO_SAVE_HISTORIES=1 npx jest test/e2e/workflows/replay` adds those that are missing.
 * One that is there is what payments under way have behind them: it stays as it is, and the code has to go on telling it.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, Runtime, Worker, bundleWorkflowCode, type ReplayResult } from '@temporalio/worker';
import { saveMissingHistories, stories } from './save-histories';

const folder = join(__dirname, '..', '..', 'histories');

interface SavedHistory {
  events: SavedEvent[];
}

/** The number of EVENT_TYPE_TIMER_STARTED. */
const timerStarted = 17;

interface SavedEvent {
  eventType: number;
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
      preloadModules: [require.resolve('../../../workflows/shallow-stacks')],
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
    expect(names.sort()).toEqual([...stories].sort());
  });

  it.each(stories)('still tells the story of %s', async (name) => {
    expect((await replay(saved(name))).error).toBeUndefined();
  });

  describe('does within its tasks', () => {
    const activitiesOf = (tale: string) =>
      saved(tale).events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled ? [scheduled.activityType.name] : [],
      );

    it.each(['stk-succeeded', 'stk-failed', 'momo-deposit-succeeded', 'momo-payout-succeeded'])(
      'all that there is to do for %s, in seventeen events',
      (tale) => {
        expect(activitiesOf(tale)).toEqual([]);
        expect(saved(tale).events).toHaveLength(17);
      },
    );

    it('no webhook while somebody waits for an answer', () => {
      expect(activitiesOf('stk-refused')).toEqual(['deliverWebhook']);
      expect(activitiesOf('momo-payout-cancelled-by-its-merchant')).toContain('deliverWebhook');
    });

    it('no second try', () => {
      expect(activitiesOf('stk-webhook-retried')).toEqual(['deliverWebhook']);
    });
  });

  describe('that had changed would be caught', () => {
    const tampered = (tale: string, change: (event: SavedEvent) => void) => {
      const history = saved(tale);
      history.events.forEach(change);
      return replay(history);
    };

    it('by an activity of another name', async () => {
      const { error } = await tampered('stk-refused', (event) => {
        if (event.activityTaskScheduledEventAttributes)
          event.activityTaskScheduledEventAttributes.activityType.name = 'capture';
      });
      expect(error?.message).toMatch(/nondeterminism/i);
    });

    it('by a step that is not taken any more', async () => {
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

/** The calculations of the benchmark's measurements. */
import type { Sample } from '../../../tools/bench/load/payment';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { actionsOf, type HistoryEvent } from '../../../tools/bench/measures/actions';
import { cpuMeter, cpuMsOf, endedChildrensCpuMsOf, perPayment } from '../../../tools/bench/measures/cpu';
import { portsByInode } from '../../../tools/bench/measures/sockets';
import { fullThroughput, percentile, percentiles, perSecond } from '../../../tools/bench/measures/statistics';

const oneTo100 = Array.from({ length: 100 }, (_, index) => index + 1);

describe('percentiles', () => {
  it('are values that were measured', () => {
    expect(percentile(oneTo100, 0.5)).toBe(50);
    expect(percentile(oneTo100, 0.99)).toBe(99);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentiles([3.14159, 1, 2])).toEqual({ p50_ms: 2, p99_ms: 3.14 });
  });

  it('do not depend on the order of the results, and leave it unchanged', () => {
    const values = [5, 1, 4, 2, 3];
    expect(percentile(values, 0.5)).toBe(3);
    expect(values).toEqual([5, 1, 4, 2, 3]);
  });

  it('of no values are an error, not a guess', () => {
    expect(() => percentile([], 0.5)).toThrow('no values');
  });
});

describe('the throughput of a closed loop', () => {
  const endingAt = (finishedAt: number): Sample => ({ id: '', startedAt: 0, acceptedAt: 0, finishedAt });

  it('counts only while the loop was full', () => {
    // Two slow ones while it fills, one every 10 ms while it is full, two slow ones while it empties.
    const moments = [500, 1_000, ...oneTo100.slice(0, 11).map((n) => 1_000 + 10 * n), 3_000, 5_000];
    const throughput = fullThroughput(moments.map(endingAt), 2);
    expect(throughput).toEqual({ payments: 10, ms: 100 });
    expect(perSecond([throughput])).toBe(100);
  });

  it('weighs every round by its duration', () => {
    expect(
      perSecond([
        { payments: 100, ms: 1_000 },
        { payments: 100, ms: 3_000 },
      ]),
    ).toBe(50);
  });

  it('is an error for a loop that was never full', () => {
    expect(() => fullThroughput([1, 2, 3, 4].map(endingAt), 2)).toThrow('too few');
  });
});

describe('processor time', () => {
  it('is read after a name with any characters', () => {
    const fields = ['S', ...Array.from({ length: 10 }, () => '0'), '150', '25', '9', '9'];
    const stat = `4711 (node (a) b) ${fields.join(' ')}`;
    expect(cpuMsOf(stat)).toBe(1_750);
    expect(endedChildrensCpuMsOf(stat)).toBe(180);
  });

  it('is divided among the payments, with a total', () => {
    const rounds = [
      { api: 100, worker: 300 },
      { api: 300, worker: 500 },
    ];
    expect(perPayment(rounds, 100)).toEqual({ api: 4, worker: 8, total: 12 });
  });
});

describe('processor time of a server that forks', () => {
  const burn =
    'const end = Date.now() + 5000; while (process.cpuUsage().user < 250000 && Date.now() < end); ';

  it('includes that of its children', async () => {
    const stay = 'process.stdin.resume(); console.log("burnt");';
    // A background process of a shell has no input unless it gets one.
    const script = 'exec 3<&0; "$0" -e "$1" <&3 & wait';
    const parent = spawn('sh', ['-c', script, process.execPath, `${burn}${stay}`]);
    const exited = once(parent, 'exit');
    try {
      const pids = { alone: parent.pid ?? 0, tree: parent.pid ?? 0 };
      const used = await cpuMeter(pids, ['tree']);
      await once(parent.stdout, 'data');
      const { alone = 0, tree = 0 } = (await used?.()) ?? {};
      if (used) expect(tree - alone).toBeGreaterThan(100);
    } finally {
      parent.stdin.end();
      await exited;
    }
  });
});

describe('the number of Temporal Cloud’s actions', () => {
  const events = (...each: Partial<HistoryEvent>[]) => each as HistoryEvent[];
  const marker = (task: number) => ({
    markerRecordedEventAttributes: { workflowTaskCompletedEventId: task as never },
  });

  it('counts starts, and not what follows from them', () => {
    const counts = actionsOf(
      events(
        { workflowExecutionStartedEventAttributes: {} },
        { workflowTaskScheduledEventAttributes: {} },
        { workflowTaskStartedEventAttributes: {} },
        { workflowTaskCompletedEventAttributes: {} },
        { workflowExecutionUpdateAcceptedEventAttributes: {} },
        { activityTaskScheduledEventAttributes: {} },
        { activityTaskStartedEventAttributes: { attempt: 1 } },
        { activityTaskCompletedEventAttributes: {} },
        { workflowExecutionUpdateCompletedEventAttributes: {} },
        { timerStartedEventAttributes: {} },
        { timerCanceledEventAttributes: {} },
        { workflowExecutionSignaledEventAttributes: {} },
        { workflowExecutionCompletedEventAttributes: {} },
      ),
    );
    expect(counts).toEqual({
      starts: 1,
      updates: 1,
      signals: 1,
      activities: 1,
      markers: 0,
      timers: 1,
      search_attributes: 0,
    });
  });

  it('counts each attempt of an activity', () => {
    const tried = events(
      { activityTaskScheduledEventAttributes: {} },
      { activityTaskStartedEventAttributes: { attempt: 4 } },
    );
    expect(actionsOf(tried).activities).toBe(4);
  });

  it('counts one for all markers of a workflow task', () => {
    expect(actionsOf(events(marker(4), marker(4), marker(9))).markers).toBe(2);
  });

  it('does not count a recorded version of the code', () => {
    const upsert = (...names: string[]) => ({
      upsertWorkflowSearchAttributesEventAttributes: {
        searchAttributes: { indexedFields: Object.fromEntries(names.map((name) => [name, {}])) },
      },
    });
    const noted = events(upsert('TemporalChangeVersion'), upsert('MalipoStatus'));
    expect(actionsOf(noted).search_attributes).toBe(1);
  });
});

describe('the connections of a process', () => {
  it('are found by its sockets', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 20 4 30 10 -1',
    ];
    expect(portsByInode(table.join('\n'))).toEqual(new Map([['4711', 8_080]]));
  });
});

/** How often a blocked statement is retried. */
import { stepwise } from '../../../src/store/migrating/stepwise';

/** Its server rejects this many times, each after this time, and then does the statement. */
function refusing({ seconds }: { seconds: number[] }) {
  let now = 0;
  const happened: string[] = [];
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const session = {
    raw(sql: string) {
      if (!sql.startsWith('ALTER')) return Promise.resolve();
      const taken = seconds.shift();
      happened.push(taken === undefined ? 'done' : 'refused');
      if (taken === undefined) return Promise.resolve();
      now += taken * 1_000;
      return Promise.reject(Object.assign(new Error('Lock wait timeout exceeded'), { errno: 1205 }));
    },
  };
  const again = () => {
    happened.push('nobody reads');
    return Promise.resolve();
  };
  return { schema: stepwise(session, 'adding', { patienceSeconds: 30, again }), happened };
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a rejected statement', () => {
  it('after it has run for minutes is retried from then on, each time without a reader', async () => {
    const { schema, happened } = refusing({ seconds: [600, 2, 2, 2] });
    await schema.raw('ALTER TABLE things ADD KEY by_b (b), ALGORITHM=INPLACE, LOCK=NONE');
    const retried = ['nobody reads', 'refused'];
    expect(happened).toEqual(['refused', ...retried, ...retried, ...retried, 'nobody reads', 'done']);
  });

  it('after minutes each time is tried three times', async () => {
    const { schema, happened } = refusing({ seconds: [600, 600, 600, 600] });
    await expect(schema.raw('ALTER TABLE things ADD KEY by_b (b)')).rejects.toThrow(
      'adding waited over 30 s for rows or a table that others use',
    );
    expect(happened.filter((what) => what === 'refused')).toHaveLength(3);
  });
});

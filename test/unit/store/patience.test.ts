/** How often a statement is tried that others are in the way of. */
import { stepwise } from '../../../src/store/migrating/stepwise';

/** Its server refuses so many times, each after so long, and then does what it is told. */
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

describe('a statement that is refused', () => {
  it('after it has worked for minutes is tried again from then on, each time once nobody reads', async () => {
    const { schema, happened } = refusing({ seconds: [600, 2, 2, 2] });
    await schema.raw('ALTER TABLE things ADD KEY by_b (b), ALGORITHM=INPLACE, LOCK=NONE');
    const retried = ['nobody reads', 'refused'];
    expect(happened).toEqual(['refused', ...retried, ...retried, ...retried, 'nobody reads', 'done']);
  });

  it('after minutes each time is tried three times', async () => {
    const { schema, happened } = refusing({ seconds: [600, 600, 600, 600] });
    await expect(schema.raw('ALTER TABLE things ADD KEY by_b (b)')).rejects.toThrow(
      'adding waits for rows or a table that others use for longer than 30 s',
    );
    expect(happened.filter((what) => what === 'refused')).toHaveLength(3);
  });
});

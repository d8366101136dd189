import { sparingLog } from '../../../src/api/app';
import type { Log } from '../../../src/domain/log';
import { serve, silentLog } from '../../support/api/serve';

type Line = [level: keyof Log, message: string, fields: Record<string, unknown> | undefined];

describe('what anybody may cause', () => {
  let lines: Line[];
  const write =
    (level: keyof Log) =>
    (message: string, fields?: Record<string, unknown>): void =>
      void lines.push([level, message, fields]);
  const log: Log = { ...silentLog, info: write('info'), warn: write('warn'), error: write('error') };
  beforeEach(() => {
    lines = [];
  });

  it('is logged twenty times in a second, and counted from then on', () => {
    let now = 5_000;
    const sparing = sparingLog(log, () => now);
    for (let n = 0; n < 15; n += 1) {
      sparing.info('wrong');
      sparing.warn('forged');
    }
    expect(lines).toHaveLength(20);
    now += 1_000;
    sparing.info('wrong', { n: 1 });
    expect(lines.slice(20)).toEqual([
      ['warn', 'refusals were not logged, as there were too many', { count: 10 }],
      ['info', 'wrong', { n: 1 }],
    ]);
  });

  it('does not keep what goes wrong with us from being logged', () => {
    const sparing = sparingLog(log, () => 5_000);
    for (let n = 0; n < 30; n += 1) sparing.error('broken');
    expect(lines).toHaveLength(30);
  });

  it('is every call that proves nothing; a merchant finds each refusal of its own', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(5_000);
    const api = await serve({ log });
    await Promise.all(Array.from({ length: 50 }, () => api.get('/nowhere')));
    expect(lines).toHaveLength(20);
    await Promise.all(Array.from({ length: 50 }, () => api.get('/api/v1/look_up')));
    expect(lines).toHaveLength(70);
    await api.close();
    clock.mockRestore();
  });
});

import { progressOn, type ProgressStream } from '../../../tools/sandbox/services/progress';

/** A stream that keeps what is written. */
function kept(stream: Partial<ProgressStream> = {}) {
  let text = '';
  const write = (more: string) => (text += more);
  return { progress: progressOn({ ...stream, write }), text: () => text };
}

const twoMinutesMs = 125_000;
const slow = () => new Promise<string>((resolve) => setTimeout(resolve, twoMinutesMs, 'done'));

describe('the progress of a long step', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is one line a minute in a log', async () => {
    const { progress, text } = kept();
    const result = progress.step('building', slow);
    await jest.advanceTimersByTimeAsync(twoMinutesMs);
    expect(await result).toBe('done');
    expect(text().split('\n')).toEqual([
      '… building',
      '… building (60.0 s)',
      '… building (120.0 s)',
      '✓ building (125.0 s)',
      '',
    ]);
  });

  it('is one line on a terminal, which no message overwrites and which never wraps', async () => {
    const { progress, text } = kept({ isTTY: true, columns: 20 });
    const result = progress.step('building for a long time', slow);
    await jest.advanceTimersByTimeAsync(2_000);
    progress.say('a message');
    await jest.advanceTimersByTimeAsync(twoMinutesMs);
    await result;
    expect(text().split('\n')).toHaveLength(3);
    const [first = '', second = '', third] = text().split('\n');
    expect(first).toMatch(/\r\u001b\[Ka message$/);
    expect(second).toMatch(/\r\u001b\[K✓ building for a long time \(125\.0 s\)$/);
    expect(third).toBe('');
    for (const drawn of `${first}${second}`.split('\r\u001b[K').slice(0, -1))
      expect(drawn.length).toBeLessThan(20);
  });

  it('ends with a cross where the step fails, and the reason goes on', async () => {
    const { progress, text } = kept();
    const failed = progress.step('building', () => Promise.reject(new Error('no disk')));
    await expect(failed).rejects.toThrow('no disk');
    expect(text()).toBe('… building\n✗ building (0.0 s)\n');
  });
});

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openClock } from '../../../simulator/clock';
import { openJournal } from '../../../simulator/journal';
import { openSchedule } from '../../../simulator/schedule';
import { temporaryFolder } from '../../support/simulator/bench';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder.remove();
});
const file = () => join(folder.path, 'journal.jsonl');
const lines = () => readFileSync(file(), 'utf8').split('\n').filter(Boolean);

describe('the journal', () => {
  it('keeps the last record of each id, and drops deleted ones', () => {
    const first = openJournal(folder.path);
    const written = first.collection<{ n: number }>('things');
    written.put('a', { n: 1 });
    written.put('b', { n: 2 });
    written.put('a', { n: 3 });
    written.delete('b');
    written.delete('never there');
    first.collection<number>('others').put('a', 4);
    expect(lines()).toHaveLength(5);

    // Opened again without a close, as after kill -9.
    const second = openJournal(folder.path);
    expect([...second.collection('things').values()]).toEqual([{ n: 3 }]);
    expect(second.collection('others').get('a')).toBe(4);
    expect(lines()).toHaveLength(2);
    first.close();
    second.close();
  });

  it('ignores an incomplete last line, and continues after it', () => {
    writeFileSync(file(), '{"collection":"things","id":"a","value":1}\n{"collection":"things","id":"b","val');
    const journal = openJournal(folder.path);
    journal.collection('things').put('c', 2);
    journal.close();
    const again = openJournal(folder.path);
    expect([...again.collection('things').values()]).toEqual([1, 2]);
    again.close();
  });

  it('refuses a file that is damaged in the middle, and does not change it', () => {
    appendFileSync(
      file(),
      '{"collection":"things","id":"a","value":1}\n?\n{"collection":"things","id":"b","value":1}\n',
    );
    expect(() => openJournal(folder.path)).toThrow('is damaged at line 2');
    expect(lines()).toHaveLength(3);
  });
});

describe('the clock', () => {
  it('runs at its scale, continues while the simulator is down, and never runs backwards', () => {
    let wall = 1_000_000;
    const open = (scale: number) => openClock(openJournal(folder.path), scale, () => wall);
    const clock = open(10);
    wall += 100;
    expect(clock.now()).toBe(1_001_000);
    expect(clock.wallMsUntil(1_002_000)).toBe(100);
    clock.moveTo(2_000_000);
    clock.moveTo(1_500_000);
    expect(clock.now()).toBe(2_000_000);
    wall -= 50;
    expect(clock.now()).toBe(2_000_000);

    wall += 150;
    const restarted = open(2);
    expect(restarted.now()).toBe(2_001_000);
    wall += 100;
    expect(restarted.now()).toBe(2_001_200);
  });
});

describe('the schedule', () => {
  it('continues with the next job when one fails, and keeps the order within a lane', async () => {
    const error = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const journal = openJournal(folder.path);
    const clock = openClock(journal, 1);
    const schedule = openSchedule(journal, clock);
    const done: unknown[] = [];
    schedule.on('fails', () => Promise.reject(new Error('planned\u001b[2J\r')));
    schedule.on('notes', (data) => {
      done.push(data);
    });
    const now = clock.now();
    schedule.add({ id: '3', kind: 'notes', dueAt: now + 60_000, bulkhead: 'a', data: 'third' });
    schedule.add({ id: '1', kind: 'fails', dueAt: now + 20_000, bulkhead: 'a', data: 'first' });
    schedule.add({ id: '2', kind: 'notes', dueAt: now + 40_000, bulkhead: 'a', data: 'second' });
    schedule.add({ id: '4', kind: 'notes', dueAt: now + 40_000, bulkhead: 'b', data: 'cancelled' });
    schedule.cancel('4');
    schedule.start();
    await schedule.advance(60_000);
    expect(done).toEqual(['second', 'third']);
    expect(error).toHaveBeenCalledWith(expect.stringMatching(/fails 1: Error: planned\\x\{1b\}\[2J\\x\{d\}/));
    schedule.stop();
    journal.close();
    error.mockRestore();
  });
});

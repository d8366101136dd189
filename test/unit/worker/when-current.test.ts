/** The jobs of a worker whose version receives no tasks are left to others. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { whileCurrent } from '../../../src/worker/versions/when-current';
import { silentLog } from '../../support/silent-log';

const timeoutMs = 20_000;

function stage() {
  let answer: boolean | undefined;
  const seen = { asked: 0, running: 0, started: 0 };
  const duty = whileCurrent({
    log: silentLog,
    everyMs: 2,
    isCurrent() {
      seen.asked += 1;
      return answer === undefined ? Promise.reject(new Error('nobody answers')) : Promise.resolve(answer);
    },
    start() {
      seen.running += 1;
      seen.started += 1;
      return [
        {
          stop() {
            seen.running -= 1;
            return Promise.resolve();
          },
        },
      ];
    },
  });
  return {
    seen,
    duty,
    /** Until it was asked twice: the first call may have been in progress. */
    async answers(next: boolean | undefined) {
      answer = next;
      const until = seen.asked + 3;
      await waitFor(() => Promise.resolve(seen.asked >= until), { what: 'questions', timeoutMs, everyMs: 2 });
    },
  };
}

it('start when it receives tasks, end when it does not, and start again', async () => {
  const { seen, duty, answers } = stage();
  await answers(false);
  expect(seen).toMatchObject({ started: 0 });
  await answers(true);
  expect(seen).toMatchObject({ started: 1, running: 1 });
  await answers(false);
  expect(seen).toMatchObject({ started: 1, running: 0 });
  await answers(true);
  expect(seen).toMatchObject({ started: 2, running: 1 });
  await duty.stop();
  expect(seen).toMatchObject({ started: 2, running: 0 });
});

it('do nothing until the first answer, and follow the last answer while none comes', async () => {
  const { seen, duty, answers } = stage();
  await answers(undefined);
  expect(seen).toMatchObject({ started: 0 });
  await answers(true);
  await answers(undefined);
  expect(seen).toMatchObject({ started: 1, running: 1 });
  await answers(false);
  await answers(undefined);
  expect(seen).toMatchObject({ started: 1, running: 0 });
  await duty.stop();
});

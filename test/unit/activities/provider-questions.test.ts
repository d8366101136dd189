/** The portal's questions about a provider: encrypted on their way, answered by a worker, and never in the way. */
import type { Client } from '@temporalio/client';
import { createQuestionActivities } from '../../../activities/provider-questions';
import { PaymentError } from '../../../src/domain/errors';
import type { EncryptedAnswer, EncryptedQuestion } from '../../../src/domain/provider-questions';
import { secretBox } from '../../../src/merchants/secrets';
import { askWorkerBy } from '../../../src/process/ask-worker';
import { railsOf } from '../../../src/rail-kit/context';
import type { Rail } from '../../../src/rail-kit/rail';
import {
  answerFrom,
  askedDirectory,
  type Network,
  type NetworkDirectory,
} from '../../../src/rails/momo/network';
import { silentLog } from '../../support/silent-log';

const network = { provider: 'MTN_MOMO_ZMB', country: 'ZMB', currency: 'ZMW' } as Network;
const box = secretBox([{ id: 'k1', key: Buffer.alloc(32, 1) }]);

/** A portal and a worker, with all that passes between them. */
function joined(provider: NetworkDirectory) {
  const rail = { name: 'momo', answer: (about: unknown) => answerFrom(provider, about) } as Partial<Rail>;
  const { answerQuestion } = createQuestionActivities({
    context: { rails: railsOf([rail as Rail]) } as never,
    box,
    stopping: new AbortController().signal,
  });
  const passed: (EncryptedQuestion | EncryptedAnswer)[] = [];
  const client = {
    withDeadline: (_: number, call: () => unknown) => call(),
    workflow: {
      async execute(_type: string, { args: [asked] }: { args: [EncryptedQuestion] }) {
        const answered = await answerQuestion(asked);
        passed.push(asked, answered);
        return answered;
      },
    },
  } as unknown as Client;
  const ask = askWorkerBy({ client, taskQueue: 'malipo', box, log: silentLog });
  return { directory: askedDirectory(ask, 1), passed };
}

const predicted: string[] = [];
const provider: NetworkDirectory = {
  list: () => Promise.resolve([network]),
  predict(digits) {
    predicted.push(digits);
    return Promise.resolve(
      digits === '1' ? { kind: 'invalid_number' } : { kind: 'network', provider: `of ${digits}` },
    );
  },
};

it('the portal gets the networks and the network of each number, and Temporal reads neither', async () => {
  const { directory, passed } = joined(provider);
  await expect(directory.list()).resolves.toEqual([network]);
  const numbers = ['260763000789', '1', '254700000001'];
  await expect(Promise.all(numbers.map((number) => directory.predict(number)))).resolves.toEqual([
    { kind: 'network', provider: 'of 260763000789' },
    { kind: 'invalid_number' },
    { kind: 'network', provider: 'of 254700000001' },
  ]);
  expect(predicted).toEqual(numbers);
  // Numbers that are looked up together are one question.
  expect(passed).toHaveLength(4);
  expect(JSON.stringify(passed)).not.toMatch(/260763000789|MTN_MOMO/);
});

it('the list is asked for once, and again when its age matters', async () => {
  const { directory, passed } = joined(provider);
  await Promise.all([directory.list(), directory.list()]);
  await directory.list();
  expect(passed).toHaveLength(2);
  await directory.list(0);
  expect(passed).toHaveLength(4);
});

it('a provider that does not answer is unavailable, and its prediction unknown', async () => {
  const silent: NetworkDirectory = {
    list: () => Promise.reject(new PaymentError('PROVIDER_UNAVAILABLE')),
    predict: () => Promise.resolve({ kind: 'unknown' }),
  };
  const { directory } = joined(silent);
  await expect(directory.list()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  await expect(directory.predict('260763000789')).resolves.toEqual({ kind: 'unknown' });
});

it('without a worker there is no answer, and no error of the process', async () => {
  const withDeadline = jest.fn(() => Promise.reject(new Error('DEADLINE_EXCEEDED')));
  const client = { withDeadline } as unknown as Client;
  const directory = askedDirectory(askWorkerBy({ client, taskQueue: 'malipo', box, log: silentLog }), 1);
  await expect(directory.predict('260763000789')).resolves.toEqual({ kind: 'unknown' });
  await expect(directory.list()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  // The next callers do not wait as long as the first.
  expect(withDeadline).toHaveBeenCalledTimes(1);
});

it('a question that was altered is not answered', async () => {
  const { answerQuestion } = createQuestionActivities({
    context: { rails: railsOf([]) } as never,
    box,
    stopping: new AbortController().signal,
  });
  const encrypted = box.encrypt(JSON.stringify({ kind: 'rail', rail: 'momo', about: {} }), 'merchant');
  await expect(answerQuestion({ rail: 'momo', encrypted, timeoutMs: 1 })).rejects.toThrow();
});

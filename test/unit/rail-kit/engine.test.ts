/** Updates of workflows that meet a failed workflow task. */
import { ServiceError } from '@temporalio/client';
import { updated } from '../../../src/rail-kit/engine';

/** As Temporal's client throws it. */
function failure(details: string, code = 9): ServiceError {
  const cause = Object.assign(new Error(details), { code, details, metadata: {} });
  return new ServiceError('Workflow Update failed', { cause });
}
const taskFailed = () =>
  failure('Unable to perform workflow execution update due to unexpected workflow task failure.');

describe('an update', () => {
  it('is repeated if its workflow task failed', async () => {
    const update = jest
      .fn<Promise<string>, []>()
      .mockRejectedValueOnce(taskFailed())
      .mockRejectedValueOnce(taskFailed())
      .mockResolvedValue('done');
    expect(await updated(update)).toBe('done');
    expect(update).toHaveBeenCalledTimes(3);
  });

  it('ends with the failure if it lasts', async () => {
    const update = jest.fn(() => Promise.reject(taskFailed()));
    await expect(updated(update)).rejects.toThrow('Workflow Update failed');
    expect(update).toHaveBeenCalledTimes(5);
  });

  it.each([
    ['another condition', failure('Workflow is closing')],
    ['a lost connection', failure('workflow task failure', 14)],
    ['an error of the workflow', new Error('rejected')],
  ])('is not repeated after %s', async (_what, error) => {
    const update = jest.fn(() => Promise.reject(error));
    await expect(updated(update)).rejects.toBe(error);
    expect(update).toHaveBeenCalledTimes(1);
  });
});

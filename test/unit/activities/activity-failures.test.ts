import { ApplicationFailure, DefaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { cleanFailure } from '../../../src/worker/activity-attempt';
import { tryAgain } from '../../../activities/failures';

const canary = 'Canary Doe';

describe("an activity's error, as Temporal gets it", () => {
  it('has its code and its place, and nothing that it quotes, also in its causes', () => {
    const duplicate = Object.assign(new Error(`insert '${canary}' - Duplicate entry`), {
      code: 'ER_DUP_ENTRY',
      sqlMessage: `Duplicate entry '${canary}' for key 'one_code'`,
    });
    const outer = new Error('it could not be stored', { cause: new SyntaxError(`"${canary}" is not JSON`) });
    for (const error of [duplicate, outer]) {
      const failure = new DefaultFailureConverter().errorToFailure(
        cleanFailure(error),
        defaultPayloadConverter,
      );
      expect(JSON.stringify(failure)).not.toContain(canary);
      expect(failure.stackTrace).toContain('activity-failures.test.ts');
    }
    expect(cleanFailure(duplicate)).toMatchObject({
      type: 'ER_DUP_ENTRY',
      message: "Duplicate entry … for key 'one_code'",
    });
    expect(cleanFailure(outer)).toMatchObject({
      type: 'Error',
      message: 'it could not be stored',
      cause: { type: 'SyntaxError', message: '… is not JSON' },
    });
  });

  it('hides secrets by their form, and is an error if none was thrown', () => {
    expect(cleanFailure(new Error('no answer for +254712345678'))).toMatchObject({
      message: 'no answer for ***678',
    });
    expect(cleanFailure(canary)).toMatchObject({ message: 'no error was thrown' });
  });

  it('is one of our own unchanged, with the time of its next attempt', () => {
    const again = tryAgain('BUSY', 'stk is busy', 500);
    expect(cleanFailure(again)).toBe(again);
    expect(cleanFailure(again)).toBeInstanceOf(ApplicationFailure);
  });
});

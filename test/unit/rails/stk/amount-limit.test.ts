import type { Environment } from '../../../../src/config';
import { PaymentError } from '../../../../src/domain/errors';
import { validateInput } from '../../../../src/rail-kit/fields';
import type { RailApi } from '../../../../src/rail-kit/rail';
import { createRails } from '../../../../src/rails';
import { stkPush } from '../../../support/merchant-client';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';

const environment: Environment = 'sandbox';

describe('the maximal amount of a push', () => {
  /** The answer of POST /api/v1/stk_push to an amount with these settings. */
  function reported(amount: number, env: Record<string, string> = {}): unknown {
    const [rail] = createRails(
      {
        environment,
        publicUrl: 'http://127.0.0.1',
        timezone: 'Africa/Nairobi',
        timeScale: 1,
        env: {
          STK_BASE_URL: 'http://127.0.0.1:1',
          STK_CONSUMER_KEY: 'key',
          STK_CONSUMER_SECRET: 'secret',
          STK_PASSKEY: 'passkey',
          STK_SHORTCODE: '174379',
          ...env,
        },
        log: silentLog,
        tokens: ownTokens(),
        observe: () => undefined,
      },
      ['stk'],
    );
    const push = rail?.endpoints({} as RailApi).find(({ path }) => path === '/api/v1/stk_push');
    if (!push) throw new Error('no such endpoint');
    try {
      return validateInput(push.input, stkPush({ amount: `${String(amount)}.00` }))['amount'];
    } catch (error) {
      return error instanceof PaymentError ? error.code : error;
    }
  }

  it("is the network's 150,000 shillings by default", () => {
    expect([reported(150_000), reported(150_001)]).toEqual([15_000_000n, 'AMOUNT_OUT_OF_RANGE']);
    const raised = { STK_AMOUNT_MAX: '250000' };
    expect([reported(250_000, raised), reported(250_001, raised)]).toEqual([
      25_000_000n,
      'AMOUNT_OUT_OF_RANGE',
    ]);
  });

  it.each(['9', '0', '-1', 'many', '100.5'])('is not %s', (limit) => {
    expect(() => reported(10, { STK_AMOUNT_MAX: limit })).toThrow('STK_AMOUNT_MAX');
  });
});

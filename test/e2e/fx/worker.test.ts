import { findQuote } from '../../../src/fx/rates';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { startStack, type OwnStack } from '../../support/stack';

let stack: OwnStack;
afterEach(() => stack.stop());

describe('a worker', () => {
  it('has rates to convert at from its start, and ends in order', async () => {
    stack = await startStack({ without: ['api', 'simulator'] });
    const quote = await waitFor(() => findQuote(stack.db, 'KES', 'USD'), {
      what: 'a rate',
      timeoutMs: 60_000,
    });
    expect(quote.source).toBe('sandbox');
    await stack.process('worker').stop();
    expect(await stack.logs()).toContain('worker stopped');
  });

  it('works on when its source of rates cannot be read', async () => {
    const env = { MALIPO_FX_SOURCE: 'file:nowhere/rates.json' };
    stack = await startStack({ without: ['api', 'simulator'], env });
    await waitFor(async () => (await stack.logs()).includes('exchange rates could not be refreshed'), {
      what: 'a complaint',
      timeoutMs: 60_000,
    });
    expect(stack.process('worker').isRunning()).toBe(true);
    expect(await findQuote(stack.db, 'USD', 'KES')).toBeUndefined();
  });
});

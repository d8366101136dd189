import {
  rootOf,
  about,
  apart,
  createScopes,
  entered,
  step,
  transaction,
  type Scopes,
  type Span,
} from '../../../src/telemetry/tracing/scope';

const payment = 'payment-1';
const other = 'payment-2';
const root = rootOf(payment);

let spans: Span[];
let scopes: Scopes;
let isSampled: (traceId: string) => boolean;
beforeEach(() => {
  spans = [];
  isSampled = () => true;
  scopes = createScopes({ isSampled: (id) => isSampled(id), take: (span) => spans.push(span) });
});

const named = (name: string): Span => {
  const found = spans.filter((span) => span.name === name);
  if (found.length !== 1) throw new Error(`${String(found.length)} spans ${name} of ${String(spans.length)}`);
  return found[0] as Span;
};
const call = { name: 'call', kind: 'server' } as const;
const ask = { name: 'ask', kind: 'client' } as const;
const nothing = (): Promise<void> => Promise.resolve();
const moved = (to: string, ended = false) => ({
  paymentId: payment,
  attributes: { 'malipo.state': to, 'malipo.operation': 'deposit' },
  ...(ended && { ended: { begunMs: 1_000, links: [rootOf(other)] } }),
});

describe('a step', () => {
  it('is a child of the payment, and its own steps are its children', async () => {
    await scopes.run({ ...call, paymentId: payment }, () => step(ask, nothing));
    expect(named('call')).toMatchObject({ traceId: root.traceId, parentSpanId: root.spanId });
    expect(named('ask')).toMatchObject({ traceId: root.traceId, parentSpanId: named('call').spanId });
  });

  it('may learn its payment in the middle', async () => {
    await scopes.run(call, async () => {
      await step(ask, () => {
        about(payment);
        return nothing();
      });
    });
    expect(named('call').traceId).toBe(root.traceId);
    expect(named('ask').parentSpanId).toBe(named('call').spanId);
  });

  it('is not exported without a known payment', async () => {
    await scopes.run(call, () => step(ask, nothing));
    expect(spans).toEqual([]);
  });

  it('about another payment is in that payment’s trace, below it', async () => {
    await scopes.run({ ...call, paymentId: payment }, () => step({ ...ask, paymentId: other }, nothing));
    expect(named('call').traceId).toBe(root.traceId);
    expect(named('ask')).toMatchObject({ ...rootOf(other), spanId: named('ask').spanId });
    expect(named('ask').parentSpanId).toBe(rootOf(other).spanId);
  });

  it('that throws has failed, and throws', async () => {
    const work = scopes.run({ ...call, paymentId: payment }, () => Promise.reject(new Error('no')));
    await expect(work).rejects.toThrow('no');
    expect(named('call').hasFailed).toBe(true);
  });

  it('that ends after its parent is still its child', async () => {
    let end = (): void => undefined;
    const late = await scopes.run({ ...call, paymentId: payment }, () =>
      Promise.resolve([step(ask, () => new Promise<void>((resolve) => (end = resolve)))]),
    );
    expect(spans.map(({ name }) => name)).toEqual(['call']);
    end();
    await Promise.all(late);
    expect(named('ask').parentSpanId).toBe(named('call').spanId);
  });

  it('gives its receiver a parent span, once the payment is known', async () => {
    isSampled = () => false;
    await scopes.run(call, async (open) => {
      expect(open.traceparent()).toBeUndefined();
      about(payment);
      expect(open.traceparent()).toMatch(new RegExp(`^00-${root.traceId}-[\\da-f]{16}-00$`));
    });
    isSampled = () => true;
    await scopes.run({ ...call, paymentId: payment }, (open) => {
      expect(open.traceparent()).toMatch(/-01$/);
      return nothing();
    });
  });

  it('of a payment that is not sampled is not exported', async () => {
    isSampled = (traceId) => traceId !== root.traceId;
    await scopes.run({ ...call, paymentId: payment }, () => step({ ...ask, paymentId: other }, nothing));
    expect(spans.map(({ name }) => name)).toEqual(['ask']);
  });

  it('only does its work if tracing is off', async () => {
    await expect(step(ask, (open) => Promise.resolve(open))).resolves.toBeUndefined();
    await expect(transaction(() => Promise.resolve(7))).resolves.toBe(7);
    expect(apart(() => 8)).toBe(8);
    about(payment);
    entered(() => {
      throw new Error('asked for what nobody reads');
    });
  });
});

describe('jobs about many payments', () => {
  it('are no step, and each payment is in its own trace', async () => {
    await scopes.background(async () => {
      await step({ ...ask, paymentId: payment }, nothing);
      await step({ ...call, paymentId: other }, nothing);
    });
    expect(named('ask').parentSpanId).toBe(root.spanId);
    expect(named('call').parentSpanId).toBe(rootOf(other).spanId);
    expect(spans).toHaveLength(2);
  });

  it('that a call starts do not belong to the call', async () => {
    await scopes.run(call, () => apart(() => step({ ...ask, paymentId: payment }, nothing)));
    expect(spans.map(({ name }) => name)).toEqual(['ask']);
    expect(named('ask').parentSpanId).toBe(root.spanId);
  });
});

describe('a transaction', () => {
  it('is one span for each payment whose state it changes, below its cause', async () => {
    await scopes.run({ ...call, paymentId: payment }, () =>
      transaction(() => {
        entered(() => moved('pending'));
        entered(() => ({ ...moved('refunded'), paymentId: other }));
        return nothing();
      }),
    );
    expect(named('enter pending')).toMatchObject({
      traceId: root.traceId,
      parentSpanId: named('call').spanId,
    });
    expect(named('enter refunded').parentSpanId).toBe(rootOf(other).spanId);
    expect(spans).toHaveLength(3);
  });

  it('that ends the payment exports the payment itself', async () => {
    await scopes.background(() =>
      transaction(() => {
        entered(() => moved('succeeded', true));
        return nothing();
      }),
    );
    expect(named('payment deposit')).toMatchObject({ ...root, fromMs: 1_000, links: [rootOf(other)] });
    expect(named('payment deposit').parentSpanId).toBeUndefined();
    expect(named('enter succeeded').parentSpanId).toBe(root.spanId);
  });

  it('that is rolled back has changed nothing', async () => {
    const work = scopes.background(() =>
      transaction(() => {
        entered(() => moved('succeeded', true));
        return Promise.reject(new Error('rolled back'));
      }),
    );
    await expect(work).rejects.toThrow('rolled back');
    expect(spans).toEqual([]);
  });
});

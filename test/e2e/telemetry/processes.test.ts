/** Traces at the collector, of payments of every rail, from the running processes. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { PaymentRow } from '../../../src/store/tables';
import { rootOf } from '../../../src/telemetry/tracing/scope';
import { stageOf } from '../../faults/contract/support/rails';
import { push } from '../../support/rails/stk/payments';
import { simulatorControl } from '../../support/rails/simulator-control';
import { call, paymentIdOf } from '../../support/merchant-client';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../../support/otlp-receiver';
import { atRest, ended } from '../../support/payments/timeline';
import { portReserve } from '../../support/ports';
import { startStack, type OwnStack, type TestMerchant } from '../../support/stack';
import { personalAndSecret } from './personal-and-secret';
import { scriptsOf } from './scripts-of';

const flows = ['stk', 'momo', 'xb/intasend', 'walletpay', 'cardproc'].flatMap((stage) => {
  const { rail, contract } = stageOf(stage);
  return Object.entries(contract.flows)
    .filter(([, flow]) => flow.rail === undefined)
    .map(([name, flow]) => ({ title: `${rail}, ${name}`, rail, flow }));
});
const callersTrace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${callersTrace.traceId}-${callersTrace.spanId}-01`;
const server = 2;
const client = 3;

interface Reported {
  payment: PaymentRow;
  path: string;
  spans: ReceivedSpan[];
}

const ports = portReserve();
let collector: OtlpReceiver;
let stack: OwnStack;
let merchant: TestMerchant;
let inspectors: Record<'api' | 'worker', number>;
const reported = new Map<string, Reported>();

beforeAll(async () => {
  collector = await startOtlpReceiver();
  inspectors = { api: await ports.take(), worker: await ports.take() };
  const inspected = (name: 'api' | 'worker') => ({
    NODE_OPTIONS: `--inspect-port=${String(inspectors[name])}`,
  });
  stack = await startStack({
    timeScale: 5,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    envOf: { api: inspected('api'), worker: inspected('worker') },
  });
  merchant = await stack.createMerchant();
  await Promise.all(
    flows.map(async ({ title, rail, flow }) => {
      reported.set(title, await follow(rail, flow));
    }),
  );
});
afterAll(async () => {
  await stack.stop();
  await collector.close();
  ports.letGo();
});

async function follow(rail: string, flow: (typeof flows)[number]['flow']): Promise<Reported> {
  const customer = flow.customer('pays', 0) ?? '';
  const { path, body } = await flow.request(stack, merchant, customer);
  const answer = await call(stack, merchant, 'POST', path, body, { traceparent });
  if (answer.status !== 200) throw new Error(`${path} answered ${JSON.stringify(answer.body)}`);
  const row = () =>
    stack
      .db('payments')
      .where({ rail, kind: flow.kind, ...flow.row(customer) })
      .first();
  const begun = await waitFor(row, { what: 'the row', timeoutMs: 30_000 });
  await flow.customerActs?.(stack, begun, 'pays');
  const payment = await ended(stack.db, begun.payment_id, ['succeeded'], 90_000);
  await atRest(stack.db, payment.payment_id, 90_000);
  const webhooks = await stack.db('outbox').where({ payment_id: payment.payment_id });
  const spans = await collector.traceOf(rootOf(payment.payment_id).traceId, (found) => {
    const tries = found.filter(({ name }) => name === 'webhook');
    const isReported = tries.length >= webhooks.length && callbacksOf(found, path).length > 0;
    return isReported && rootsOf(found).length > 0 && receiptsOf(found).length === 0;
  });
  return { payment, path, spans };
}

const rootsOf = (spans: ReceivedSpan[]) => spans.filter(({ parentSpanId }) => parentSpanId === '');
const receiptsOf = (spans: ReceivedSpan[]) => {
  const known = new Set(spans.map(({ spanId }) => spanId));
  return spans.filter(({ parentSpanId }) => parentSpanId !== '' && !known.has(parentSpanId));
};
const callbacksOf = (spans: ReceivedSpan[], path: string) =>
  spans.filter(({ kind, name }) => kind === server && name !== `POST ${path}`);

describe.each(flows.map(({ title }) => title))('a payment of %s', (title) => {
  const of = (): Reported => {
    const found = reported.get(title);
    if (!found) throw new Error(`${title} was not followed`);
    return found;
  };
  const parentOf = ({ parentSpanId }: ReceivedSpan) =>
    of().spans.find(({ spanId }) => spanId === parentSpanId);
  const named = (name: string) => {
    const found = of().spans.find((span) => span.name === name);
    if (!found)
      throw new Error(
        `no ${name} among ${of()
          .spans.map((span) => span.name)
          .join(', ')}`,
      );
    return found;
  };
  const activity = /^(?:submitToProvider|checkStatus|sendWebhook)/;

  it('is one trace, whose root is the payment, and every span has its parent', () => {
    const { payment, spans } = of();
    const { traceId, spanId } = rootOf(payment.payment_id);
    const [root, ...more] = rootsOf(spans);
    expect(more).toEqual([]);
    expect(root).toMatchObject({
      ...{ traceId, spanId, name: `payment ${payment.kind}` },
      attributes: {
        'malipo.payment.id': payment.payment_id,
        'malipo.merchant.id': payment.merchant_id,
        'malipo.rail': payment.rail,
        'malipo.operation': payment.kind,
        'malipo.state': 'succeeded',
      },
      links: payment.parent_id === null ? [] : [rootOf(payment.parent_id)],
    });
    expect(receiptsOf(spans)).toEqual([]);
    expect(new Set(spans.map((span) => span.spanId)).size).toBe(spans.length);
    const elsewhere = collector
      .spans()
      .filter(
        (span) => span.attributes['malipo.payment.id'] === payment.payment_id && span.traceId !== traceId,
      );
    expect(elsewhere).toEqual([]);
  });

  it("begins with the merchant's request, which is linked to the merchant's own trace", () => {
    const request = named(`POST ${of().path}`);
    expect(request).toMatchObject({ kind: server, service: 'malipo-api', links: [callersTrace] });
    expect(parentOf(request)).toMatchObject({ name: `payment ${of().payment.kind}` });
    expect(request.attributes).toMatchObject({ 'http.response.status_code': 200 });
    const start = of().spans.filter(({ name }) => /^engine (?:start|wake|signal)$/.test(name));
    expect(start.map((span) => parentOf(span)?.spanId)).toContain(request.spanId);
    expect(parentOf(named('enter received'))?.spanId).toBe(request.spanId);
  });

  it('has each call to its provider below the activity that makes it', () => {
    const calls = of().spans.filter(
      ({ kind, attributes, service }) =>
        kind === client && attributes['malipo.peer'] === 'provider' && service === 'malipo-worker',
    );
    expect(calls.length).toBeGreaterThan(0);
    for (const one of calls) {
      expect(parentOf(one)?.name).toMatch(activity);
      expect(one.toMs).toBeGreaterThan(one.fromMs);
    }
    // A call that a busy machine did not answer in time is repeated.
    expect(calls.map(({ attributes }) => attributes)).toContainEqual(
      expect.objectContaining({
        'malipo.outcome': 'answered',
        'malipo.rail': of().payment.rail,
        'http.request.method': 'POST',
        'http.response.status_code': expect.any(Number) as number,
      }),
    );
    expect(parentOf(named('enter initiating'))?.name).toMatch(/^submitToProvider/);
  });

  it('has the notification, the transaction that books, and each webhook', () => {
    const { payment, path, spans } = of();
    for (const callback of callbacksOf(spans, path)) {
      expect(callback).toMatchObject({ service: 'malipo-api', attributes: { 'malipo.rail': payment.rail } });
      expect(parentOf(callback)?.name).toBe(`payment ${payment.kind}`);
    }
    const booking = named('enter succeeded');
    expect(parentOf(booking)?.name).toMatch(/^(?:submitToProvider|checkStatus)/);
    const tries = spans.filter(({ name }) => name === 'webhook');
    expect(tries.length).toBeGreaterThan(0);
    for (const one of tries) {
      expect(parentOf(one)?.name).toMatch(/^sendWebhook/);
      const received = merchant.receiver.received.filter(
        ({ headers }) => headers.traceparent === `00-${one.traceId}-${one.spanId}-01`,
      );
      expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([
        one.attributes['malipo.webhook.id'],
      ]);
    }
  });
});

describe('the collector’s received spans', () => {
  it('contain no data of customers, merchants and providers, and no secret', async () => {
    const text = collector.bodies.map((body) => Buffer.from(body.text, 'latin1').toString('utf8')).join('\n');
    const canaries = await personalAndSecret(
      stack,
      merchant,
      [...reported.values()].map(({ payment }) => payment.payment_id),
    );
    // At least one customer of each rail.
    for (const { payment } of reported.values()) {
      expect([...canaries]).toContain(payment.phone_number ?? payment.order_id);
    }
    expect(canaries.size).toBeGreaterThan(60);
    expect([...canaries].filter((canary) => text.includes(canary))).toEqual([]);
    expect(text).toContain(merchant.merchantId);
  });
});

describe('a process', () => {
  const sdk = '/node_modules/@opentelemetry/';

  it('that exports traces has loaded the exporter', async () => {
    for (const name of ['api', 'worker'] as const) {
      const scripts = await scriptsOf(stack.process(name).pid, inspectors[name]);
      expect(scripts.filter((url) => url.includes(sdk)).length).toBeGreaterThan(10);
    }
  });

  it('that exports none has loaded none of it', async () => {
    for (const name of ['api', 'worker'] as const) {
      const port = await ports.take();
      const { child } = await stack.startAnother(name, {
        OTEL_EXPORTER_OTLP_ENDPOINT: '',
        MALIPO_TASK_QUEUE: 'of-another',
        NODE_OPTIONS: `--inspect-port=${String(port)}`,
      });
      const scripts = await scriptsOf(child.pid, port);
      expect(scripts.some((url) => url.endsWith(`/dist/bundle/${name}.js`))).toBe(true);
      expect(scripts.filter((url) => url.includes(sdk))).toEqual([]);
      await child.stop();
    }
  });
});

describe('kill -9 of the API and the worker in the middle', () => {
  it('leaves one trace, written by the processes before and after', async () => {
    // This payer decides without the test.
    const answer = await push(stack, merchant, { phone_number: '254711000600' });
    const paymentId = paymentIdOf(answer);
    const { traceId } = rootOf(paymentId);
    const hasBegun = (spans: ReceivedSpan[]) =>
      ['POST /api/v1/stk_push', 'submitToProvider', 'enter pending'].every((name) =>
        spans.some((span) => span.name === name),
      );
    const before = await collector.traceOf(traceId, hasBegun);
    expect(rootsOf(before)).toEqual([]);
    await Promise.all([stack.kill('worker'), stack.kill('api')]);
    await Promise.all([stack.start('worker'), stack.start('api')]);
    const stk = simulatorControl(stack.simulatorUrl, 'stk');
    // On a busy machine the prompt may have expired by then: the payment ends unpaid, and its trace must still be
    // complete.
    await stk.decide(String(answer.body.data?.checkout_request_id), 'pay').catch(() => undefined);
    await ended(stack.db, paymentId, undefined, 90_000);
    await atRest(stack.db, paymentId, 90_000);
    const spans = await collector.traceOf(
      traceId,
      (found) => found.some(({ name }) => name === 'webhook') && receiptsOf(found).length === 0,
    );
    expect(rootsOf(spans)).toHaveLength(1);
    const workers = spans.filter(({ service }) => service === 'malipo-worker');
    expect(new Set(workers.map(({ instance }) => instance)).size).toBe(2);
  });
});

describe('a collector that hangs', () => {
  it('delays no payment, and lost spans are counted', async () => {
    collector.answerWith(() => undefined);
    const payments = await Promise.all(
      [1, 2, 3].map(async (n) =>
        paymentIdOf(await push(stack, merchant, { phone_number: `25471400000${String(n)}` })),
      ),
    );
    for (const id of payments) {
      await ended(stack.db, id, ['succeeded'], 90_000);
      await atRest(stack.db, id, 90_000);
    }
    const lost = await waitFor(
      async () => {
        const text = await (await fetch(`${stack.opsUrl}/metrics`)).text();
        const count =
          /^malipo_trace_spans_dropped_total\{reason="failed",environment="sandbox"\} (\d+)$/m.exec(
            text,
          )?.[1];
        return Number(count) > 0 && Number(count);
      },
      { what: 'spans to be lost', timeoutMs: 60_000, everyMs: 500 },
    );
    expect(lost).toBeGreaterThan(0);
    expect(await stack.logs()).toContain('spans of traces are lost');
  });
});

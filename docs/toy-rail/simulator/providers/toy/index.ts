import express, { type Request } from 'express';
import { answering, answeringErrors, type Call, type CallResponse } from '../../calls';
import type { FaultyCalls } from '../../faults';
import { recordOf, textOf } from '../../fields';
import type { ProviderContext, ProviderDefinition } from '../../provider';

interface Payment {
  id: string;
  key: string;
  amount: string;
  phone: string;
  status: 'paid' | 'declined';
}

const where = ['phone_number'];
const faultyCalls: FaultyCalls = {
  initiate: { behaviours: ['drop', '500', 'html', '429', 'delay', 'act_then_500', 'act_then_drop'], where },
  status: { behaviours: ['drop', '500', 'html', '429', 'delay', 'hang'], where: [] },
  lookup: { behaviours: ['drop', '500', 'html', '429', 'delay', 'hang'], where: [] },
  callback: { behaviours: ['drop', 'delay', 'duplicate', 'forge'], where },
};

const failure = (status: number, error: string): CallResponse => ({ status, json: { error } });
const declines = '254700000002';

export const toy: ProviderDefinition = {
  name: 'toy',
  port: 3260,
  title: 'Toy bank',
  faultyCalls,
  configure(settings) {
    const token = settings.text('TOY_TOKEN');
    const webhookUrl = settings.url('TOY_WEBHOOK_URL');
    return (context) => ({
      router: routerOf(context, token, webhookUrl),
      pages: [],
      controls: [],
      testValues: [
        { value: '254700000001', asks: ['payment'], title: 'Paid', behaviour: 'Paid at once.' },
        { value: declines, asks: ['payment'], title: 'Declined', behaviour: 'Declined at once.' },
      ],
    });
  },
};

function routerOf(context: ProviderContext, token: string, webhookUrl: string | undefined) {
  const { journal, books, faults, requests, callbacks } = context;
  const payments = journal.collection<Payment>('toy.payments');
  const named = (key: unknown) => [...payments.values()].find((payment) => payment.key === key);
  const errors = {
    rateLimited: () => failure(429, 'too many requests'),
    expiredToken: () => failure(401, 'token'),
  };
  const of = { provider: 'toy', errors, faults, requests };
  const call = ({ answer, ...rest }: Call) =>
    answering(of, {
      ...rest,
      answer: (request) =>
        request.headers.authorization === `Bearer ${token}` ? answer(request) : failure(401, 'token'),
    });

  /** One payment for each key. */
  async function start(request: Request): Promise<CallResponse> {
    const body = recordOf(request.body);
    const [key, amount, phone] = [textOf(body['key']), textOf(body['amount']), textOf(body['phone'])];
    if (key === '' || amount === '' || phone === '')
      return failure(400, 'key, amount and phone are required');
    const known = named(key);
    if (known) return { status: 201, json: { id: known.id } };
    const id = `TB-${String(payments.size + 1)}`;
    const status = phone === declines ? 'declined' : 'paid';
    payments.put(id, { id, key, amount, phone, status });
    if (status === 'paid')
      books.book({ provider: 'toy', reference: id, receipt: id, amount, currency: 'KES', phone });
    const callback = { url: webhookUrl ?? '', body: JSON.stringify({ id }), headers: {} };
    if (webhookUrl !== undefined) await callbacks.send(callback, { phone_number: phone }, id);
    return { status: 201, json: { id } };
  }

  const shown = (payment: Payment | undefined): CallResponse =>
    payment ? { status: 200, json: payment } : failure(404, 'no such payment');
  const factsOf = (request: Request) => ({ phone_number: textOf(recordOf(request.body)['phone']) });
  const router = express.Router();
  router.use(express.json());
  router.post('/payments', call({ name: 'initiate', factsOf, answer: start }));
  router.get('/payments', call({ name: 'lookup', answer: ({ query }) => shown(named(query['key'])) }));
  router.get(
    '/payments/:id',
    call({ name: 'status', answer: ({ params }) => shown(payments.get(String(params['id']))) }),
  );
  router.use(answeringErrors('toy', () => failure(400, 'not JSON')));
  return router;
}

import type { TakenNotification } from '../../../src/api/notification-handler';
import type {
  NotificationRequest,
  NotificationRoute,
  ReceivedNotification,
} from '../../../src/rail-kit/rail';
import { errorOf, serve, type Served } from '../../support/api/serve';
import { aRail, aRoute } from '../../support/undescribed';

describe('a notification', () => {
  let api: Served;
  let heard: NotificationRequest[];
  let taken: [string, string, TakenNotification][];
  let take: () => Promise<boolean>;
  /** The rail's result, other than storing the notification. */
  let answered: ReceivedNotification | undefined;

  const route: NotificationRoute = {
    method: 'POST',
    path: '/callbacks/stk/:token',
    about: aRoute,
    receive(request) {
      heard.push(request);
      if (request.params['token'] !== 'good') {
        return Promise.resolve({ kind: 'refuse', status: 404, body: 'unknown', why: 'no such token' });
      }
      if (answered) return Promise.resolve(answered);
      const acknowledgement = { status: 200, body: { ResultCode: 0 } };
      return Promise.resolve({
        kind: 'take',
        isProven: true,
        eventKey: 'e1',
        body: String(request.rawBody),
        acknowledgement,
      });
    },
  };

  beforeEach(async () => {
    heard = [];
    taken = [];
    answered = undefined;
    take = () => Promise.resolve(true);
    api = await serve({
      rails: [
        {
          name: 'stk',
          description: aRail,
          endpoints: [],
          unauthenticatedEndpoints: [],
          notificationRoutes: [route],
        },
      ],
      takeNotification(rail, address, received) {
        taken.push([rail, address, received]);
        return take();
      },
    });
  });
  afterEach(() => api.close());

  it('reaches its rail byte by byte, whatever its content type', async () => {
    const body = Buffer.from('{"a": 1.0,\r\n "a":2}\xff', 'latin1');
    const response = await api.post('/callbacks/stk/good?x=1', body, { 'Content-Type': 'text/xml' });
    expect([response.status, await response.json()]).toEqual([200, { ResultCode: 0 }]);
    expect(heard[0]).toMatchObject({
      params: { token: 'good' },
      query: { x: '1' },
      clientAddress: '127.0.0.1',
    });
    expect(heard[0]?.rawBody.equals(body)).toBe(true);
    expect(taken).toEqual([['stk', '127.0.0.1', expect.objectContaining({ eventKey: 'e1' })]]);
  });

  it('is not acknowledged before it is stored', async () => {
    take = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    const response = await api.post('/callbacks/stk/good', '{}');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it("that is rejected gets the rail's answer and is not stored", async () => {
    const response = await api.post('/callbacks/stk/bad', '{}');
    expect([response.status, await response.text()]).toEqual([404, 'unknown']);
    expect(taken).toEqual([]);
  });

  it('of more than 64 kB is rejected unread', async () => {
    const response = await api.post('/callbacks/stk/good', 'x'.repeat(64 * 1024 + 1));
    expect([response.status, heard.length]).toEqual([413, 0]);
  });

  it('with a repeated parameter is rejected', async () => {
    const response = await api.post('/callbacks/stk/good?a=1&a=2', '{}');
    expect([response.status, (await errorOf(response)).code]).toEqual([400, 'INVALID_QUERY']);
  });

  it.each(['redirect', 'page'] as const)(
    'a browser that gets a %s may be in a frame, and no other answer may',
    async (kind) => {
      const received = {
        redirect: { kind: 'redirect', location: 'https://shop.example.org/?a=<b>' },
        page: { kind: 'page', title: 'Thank <you>', text: '"a" & \'b\'' },
      } as const;
      answered = received[kind];
      const response = await fetch(`${api.url}/callbacks/stk/good`, { method: 'POST', redirect: 'manual' });
      expect(response.headers.get('x-frame-options')).toBeNull();
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^' ]+'; base-uri 'none'; form-action 'none'; frame-ancestors \*$/,
      );
      expect([response.status, response.headers.get('location')]).toEqual(
        kind === 'redirect' ? [302, 'https://shop.example.org/?a=<b>'] : [200, null],
      );
      const text = await response.text();
      if (kind === 'page') {
        expect(text).toContain('<h1>Thank &lt;you&gt;</h1>');
        expect(text).toContain('<p>&quot;a&quot; &amp; &#39;b&#39;</p>');
      }
      expect(taken).toEqual([]);
    },
  );

  it('by another method is 405', async () => {
    expect((await api.get('/callbacks/stk/good')).status).toBe(405);
  });
});

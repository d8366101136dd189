import { checkDeprecations, deprecations } from '../../../../src/api/deprecations';
import { serve, type Served } from '../../../support/api/serve';

const planted = {
  'POST /api/v1/echo': { since: '2027-01-01', until: '2027-07-01', instead: 'use /api/v2/echo' },
};

describe('a deprecation', () => {
  let api: Served;
  beforeAll(async () => {
    api = await serve({ deprecations: planted });
  });
  afterAll(() => api.close());

  it('is on every answer of its endpoint, errors included, and on no other', async () => {
    const reported = ({ headers }: Response) => [headers.get('deprecation'), headers.get('sunset')];
    const going = ['@1798761600', 'Thu, 01 Jul 2027 00:00:00 GMT'];
    expect(reported(await api.post('/api/v1/echo', { amount: '10.00' }))).toEqual(going);
    expect(reported(await api.post('/api/v1/echo', '{'))).toEqual(going);
    expect(reported(await api.post('/api/v1/echo', {}, { 'X-API-Secret': 'sk_test_wrong' }))).toEqual(going);
    expect(reported(await api.get('/api/v1/look_up?id=1'))).toEqual([null, null]);
  });

  it('is in the description, with the replacement', async () => {
    const { paths } = (await (await api.get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, Record<string, unknown>>>;
    };
    const going = paths['/api/v1/echo']?.['post'];
    expect([going?.['deprecated'], going?.['description']]).toEqual([
      true,
      expect.stringContaining('may be removed from 2027-07-01: use /api/v2/echo'),
    ]);
    expect(going?.['responses']).toHaveProperty('200.headers.Sunset');
    expect(paths['/api/v1/look_up']?.['get']).not.toHaveProperty('deprecated');
  });

  it('gives merchants at least six months, in this build too', () => {
    const early = { 'GET /x': { since: '2027-01-01', until: '2027-06-30', instead: 'nothing' } };
    expect(() => {
      checkDeprecations(early);
    }).toThrow('GET /x ends less than 6 months after its deprecation');
    checkDeprecations(planted);
    checkDeprecations(deprecations);
  });
});

/** The Postman collection: the API accepts its requests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { postmanCollection } from '../../../tools/docs-site/postman';
import { outfit } from '../../support/creation-requests';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';

interface Request {
  method: string;
  header: { key: string; value: string }[];
  url: {
    raw: string;
    variable: { key: string; value: string }[];
    query: { key: string; disabled: boolean; value: string }[];
  };
  body?: { raw: string };
}

const description = JSON.parse(
  readFileSync(join(__dirname, '..', '..', '..', 'docs', 'openapi.json'), 'utf8'),
) as Parameters<typeof postmanCollection>[0];
const { item } = postmanCollection(description);
const requests = item.flatMap((folder) =>
  folder.item.map(({ id, request }): [string, Request] => [id, request as unknown as Request]),
);

let stack: Stack;
let merchant: TestMerchant;
beforeAll(async () => {
  stack = await sharedStack({ timeScale: 20 });
  merchant = await outfit(stack, await stack.createMerchant());
});
afterAll(() => stack.stop());

/** In Postman's form. */
async function sent({ method, header, url, body }: Request): Promise<{ status: number; text: string }> {
  const values: Record<string, string> = {
    base_url: stack.apiUrl,
    api_key: merchant.apiKey,
    api_secret: merchant.apiSecret,
    merchant_id: merchant.merchantId,
  };
  const filled = (text: string) =>
    text.replace(/\{\{([$\w]+)\}\}/g, (_all, name: string) =>
      name === '$guid' ? crypto.randomUUID() : (values[name] ?? ''),
    );
  const path = url.variable.reduce(
    (raw, { key, value }) => raw.replace(`:${key}`, encodeURIComponent(value)),
    filled(url.raw),
  );
  const query = url.query.filter(({ disabled }) => !disabled);
  const search = new URLSearchParams(
    query.map(({ key, value }): [string, string] => [key, value]),
  ).toString();
  const response = await fetch(search === '' ? path : `${path}?${search}`, {
    method,
    headers: header.map(({ key, value }): [string, string] => [key, filled(value)]),
    ...(body && { body: filled(body.raw) }),
  });
  return { status: response.status, text: await response.text() };
}

describe('the Postman collection', () => {
  it('has no endpoint for providers and browsers', () => {
    const paths = requests.map(([, { url }]) => url.raw.replace('{{base_url}}', ''));
    const others = ['/in/', '/listen_', '/api/v1/walletpay/webhook', '/cardproc/callback.php', '/momo/done'];
    expect(paths.filter((path) => others.some((start) => path.startsWith(start)))).toEqual([]);
  });

  it.each(requests)('%s is accepted, or has no such payment', async (_id, request) => {
    const { status, text } = await sent(request);
    const { code = '', details } = text.startsWith('{')
      ? (JSON.parse(text) as { code?: string; details?: unknown })
      : {};
    expect({ details, isServed: status < 500 && code !== 'NOT_FOUND' }).toEqual({
      details: undefined,
      isServed: true,
    });
    expect(['INVALID_CREDENTIALS', 'INVALID_JSON', 'VALIDATION_FAILED', 'METHOD_NOT_ALLOWED']).not.toContain(
      code,
    );
    expect([200, 400, 404, 409]).toContain(status);
  });
});

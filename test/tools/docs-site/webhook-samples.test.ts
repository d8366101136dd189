/** The samples that verify webhooks, each with the library of its language, tested with our signatures. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signatureHeaders } from '../../../src/webhooks/post';
import { fences } from './fences';
import { itFor, prepareSample } from './run-sample';
import { isWebhookSample } from './webhook-samples';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret of so many bytes .').toString('base64')}`;
const body = JSON.stringify({ payment_id: '0199', status: 'Success', name: 'Wanjikũ' });

function sent(at: Date, secrets: string[]) {
  const headers = signatureHeaders('msg_1', at, body, secrets);
  return {
    WEBHOOK_ID: headers['webhook-id'],
    WEBHOOK_TIMESTAMP: headers['webhook-timestamp'],
    WEBHOOK_SIGNATURE: headers['webhook-signature'],
    WEBHOOK_SECRET: secret,
  };
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-samples-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const verifying = fences.filter(isWebhookSample);

it('exist in five languages', () => {
  expect(verifying.map(({ language }) => language).sort()).toEqual(['go', 'java', 'js', 'php', 'python']);
});

for (const fence of verifying) {
  itFor(fence)(
    `${fence.language} accepts authentic webhooks, also while a secret changes, and nothing else`,
    async () => {
      const run = await prepareSample(fence, folder);
      const now = new Date();
      const cases = [
        [sent(now, [secret]), body],
        [sent(now, [other, secret]), body],
        [sent(now, [other]), body],
        [sent(now, [secret]), `${body} `],
        [sent(new Date(now.getTime() - 6 * 60_000), [secret]), body],
      ] as const;
      const codes = [];
      for (const [env, input] of cases) codes.push((await run({ env, input })).code);
      expect(codes).toEqual([0, 0, 1, 1, 1]);
    },
  );
}

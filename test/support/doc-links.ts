/** Checks that the errors of a running sandbox link to their documentation. */
import type { SandboxDescription } from '../../tools/sandbox/sandbox-description';

const unknown = '01890a5d-ac96-774b-bcce-b302099a8057';

/**
 * One request that each rail refuses, for each way to authenticate: with keys, by a merchant's id, and without either.
 */
const refused: [path: string, body?: object][] = [
  ['/api/v1/stk_push', {}],
  [`/api/v1/stk_push/status?payment_id=${unknown}`],
  [`/api/v1/momo/status?transaction_id=${unknown}`],
  [`/api/v1/xb/stk_push/status?payment_id=${unknown}`],
  [`/api/v1/walletpay/order_status?payment_id=${unknown}`],
  ['/api/v2/initiate.php', {}],
  ['/api/cardproc/transaction_status.php', { order_tracking_id: unknown }],
  ['/api/v1/redeem_voucher', { code: '7Q2M-K4TX-9WPA-HC3E' }],
  ['/api/v1/nowhere'],
];

/** @returns the answers whose link leads nowhere, or to a page without their code. */
export async function lostDocLinks({ api_url: api, merchants: [merchant] }: SandboxDescription) {
  const keys = { 'X-API-Key': merchant?.api_key ?? '', 'X-API-Secret': merchant?.api_secret ?? '' };
  const lost: string[] = [];
  for (const [path, body] of refused) {
    const answer = await fetch(`${api}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...keys, 'Content-Type': 'application/json' },
    });
    const text = await answer.text();
    if (answer.status < 400 || !(await leadsToItsCode(text))) {
      lost.push(`${path} ${String(answer.status)} ${text}`);
    }
  }
  return lost;
}

async function leadsToItsCode(text: string): Promise<boolean> {
  const { code = '', doc_url: link } = JSON.parse(text) as { code?: string; doc_url?: string };
  if (link === undefined) return false;
  const page = await fetch(link);
  return page.ok && new URL(link).hash === `#${code}` && (await page.text()).includes(`id="${code}"`);
}

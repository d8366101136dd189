import type { Ask, PesapalAnswer } from './calls';
import { describe, faultOf, recordOf, textOf } from './wire';

/** The provider's id of our notification address, or why there is none. */
export type AddressAnswer =
  { kind: 'known'; id: string } | { kind: 'refused'; text: string } | { kind: 'unavailable'; text: string };

/** A refused id is replaced this often: where new ones are refused as well, more would only fill the account. */
const replacedEveryMs = 3_600_000;
/** How long an id that orders were refused with is left alone: it may have been a fault of the provider's that passes. */
const refusedForMs = 3 * 60_000;

/** How we want to be notified; the same address may be registered for GET beside it. */
const wantedType = 'POST';

/**
 * Every order names the address that its notifications go to, by an id that the provider gives once. It is looked up
 * before it is registered, because what a second registration of one address does is not documented.
 */
export function notificationAddress(url: string) {
  let known: AddressAnswer | undefined;
  let finding: Promise<AddressAnswer> | undefined;
  let replacedAt = -Infinity;
  /**
   * When each was refused last. A list may go on naming what orders are refused with: those of another environment, or
   * of another account.
   */
  const refusedAt = new Map<string, number>();
  const isLeftAlone = (id: string) => performance.now() - (refusedAt.get(id) ?? -Infinity) < refusedForMs;

  async function find(ask: Ask): Promise<AddressAnswer> {
    const listed = await ask({ call: 'list_ipns', method: 'GET', path: '/api/URLSetup/GetIpnList' });
    const list = listed.kind === 'answered' && listed.status === 200 ? listed.json : undefined;
    if (!Array.isArray(list)) return noneBecause(listed);
    const own = list.map(recordOf).filter((entry) => isUsable(entry, url));
    const newestFirst = own.sort((one, other) => createdAt(other) - createdAt(one));
    const ids = newestFirst.map((entry) => textOf(entry['ipn_id']));
    const id = ids.find((candidate) => candidate !== '' && !isLeftAlone(candidate));
    return id === undefined ? register(ask) : { kind: 'known', id };
  }

  async function register(ask: Ask): Promise<AddressAnswer> {
    const isReplacement = refusedAt.size > 0;
    if (isReplacement && performance.now() - replacedAt < replacedEveryMs) {
      return { kind: 'refused', text: 'every id of the notification address is refused' };
    }
    const answer = await ask({
      call: 'register_ipn',
      method: 'POST',
      path: '/api/URLSetup/RegisterIPN',
      body: { url, ipn_notification_type: wantedType },
    });
    const registered = answer.kind === 'answered' && answer.status === 200 && !faultOf(answer.json);
    const id = registered ? textOf(recordOf(answer.json)['ipn_id']) : '';
    if (id === '') return noneBecause(answer);
    if (isReplacement) replacedAt = performance.now();
    return { kind: 'known', id };
  }

  return {
    async get(ask: Ask): Promise<AddressAnswer> {
      if (known) return known;
      finding ??= find(ask).finally(() => (finding = undefined));
      const found = await finding;
      if (found.kind === 'known') known = found;
      return found;
    },
    /** For an id that the provider did not take with an order: another is found, or registered anew, for some minutes. */
    refuse(id: string): void {
      refusedAt.set(id, performance.now());
      if (known?.kind === 'known' && known.id === id) known = undefined;
    },
  };
}

/** Of this address, to be notified as we want; older answers tell neither the type nor whether it is active. */
export function isUsable(entry: Record<string, unknown>, url: string): boolean {
  const type = textOf(entry['ipn_notification_type_description']).toUpperCase();
  const status = textOf(entry['ipn_status']);
  return (
    entry['url'] === url && !faultOf(entry) && ['', wantedType].includes(type) && ['', '1'].includes(status)
  );
}

function createdAt(entry: Record<string, unknown>): number {
  const at = Date.parse(textOf(entry['created_date']));
  return Number.isNaN(at) ? 0 : at;
}

function noneBecause(answer: PesapalAnswer): AddressAnswer {
  if (answer.kind === 'account_refused') return { kind: 'refused', text: answer.text };
  const fault = answer.kind === 'answered' && answer.status < 500 ? faultOf(answer.json) : undefined;
  return fault
    ? { kind: 'refused', text: `the notification address: ${describe(fault)}` }
    : { kind: 'unavailable', text: `the notification address: ${answer.text}` };
}

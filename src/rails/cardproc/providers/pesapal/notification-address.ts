import type { Ask, PesapalAnswer } from './calls';
import { describe, faultOf, recordOf, textOf } from './wire';

/** The provider's id of our notification address, or why there is none. */
export type AddressAnswer =
  { kind: 'known'; id: string } | { kind: 'refused'; text: string } | { kind: 'unavailable'; text: string };

/**
 * The minimal time between two replacements of a rejected id. If new ids are rejected as well, more of them would only
 * fill the account.
 */
const replacedEveryMs = 3_600_000;
/**
 * How long an id is not used after an order with it was rejected. The cause may be a temporary fault of the provider.
 */
const refusedForMs = 3 * 60_000;

/** The wanted notification method. The same address may also be registered for GET. */
const wantedType = 'POST';

/**
 * Every order names its notification address by an id that the provider assigned. The id is looked up before a new one
 * is registered: the documentation does not say what a second registration of one address does.
 */
export function notificationAddress(url: string) {
  let known: AddressAnswer | undefined;
  let providerResult: Promise<AddressAnswer> | undefined;
  let replacedAt = -Infinity;
  /**
   * The time of each id's last rejection. The list may still contain ids that orders are rejected with: those of
   * another environment or account.
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
      return { kind: 'refused', text: 'every id of the notification address is rejected' };
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
      providerResult ??= find(ask).finally(() => (providerResult = undefined));
      const found = await providerResult;
      if (found.kind === 'known') known = found;
      return found;
    },
    /** The provider rejected an order with this id. For some minutes, another id is used or registered. */
    refuse(id: string): void {
      refusedAt.set(id, performance.now());
      if (known?.kind === 'known' && known.id === id) known = undefined;
    },
  };
}

/**
 * An entry for this address with the wanted method. Older answers contain neither the method nor whether it is active.
 */
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

import type { Ask, PesapalAnswer } from './calls';
import { describe, faultOf, recordOf, textOf } from './wire';

/** The provider's id of our notification address, or why there is none. */
export type AddressAnswer =
  { kind: 'known'; id: string } | { kind: 'refused'; text: string } | { kind: 'unavailable'; text: string };

/**
 * Every order names the address that its notifications go to, by an id that the provider gives once. It is looked up
 * before it is registered, because what a second registration of one address does is not documented.
 */
export function notificationAddress(url: string) {
  let known: AddressAnswer | undefined;
  let finding: Promise<AddressAnswer> | undefined;

  async function find(ask: Ask): Promise<AddressAnswer> {
    const listed = await ask({ call: 'list_ipns', method: 'GET', path: '/api/URLSetup/GetIpnList' });
    const list = listed.kind === 'answered' && listed.status === 200 ? listed.json : undefined;
    if (!Array.isArray(list)) return noneBecause(listed);
    const own = list.map(recordOf).find((entry) => entry['url'] === url && !faultOf(entry));
    return idIn(own) ?? register(ask);
  }

  async function register(ask: Ask): Promise<AddressAnswer> {
    const answer = await ask({
      call: 'register_ipn',
      method: 'POST',
      path: '/api/URLSetup/RegisterIPN',
      body: { url, ipn_notification_type: 'POST' },
    });
    const registered = answer.kind === 'answered' && answer.status === 200 && !faultOf(answer.json);
    return (registered ? idIn(recordOf(answer.json)) : undefined) ?? noneBecause(answer);
  }

  return {
    async get(ask: Ask): Promise<AddressAnswer> {
      if (known) return known;
      finding ??= find(ask).finally(() => (finding = undefined));
      const found = await finding;
      if (found.kind === 'known') known = found;
      return found;
    },
    /** For an id that the provider no longer takes. */
    forget(id: string): void {
      if (known?.kind === 'known' && known.id === id) known = undefined;
    },
  };
}

function idIn(entry: Record<string, unknown> | undefined): AddressAnswer | undefined {
  const id = textOf(entry?.['ipn_id']);
  return id === '' ? undefined : { kind: 'known', id };
}

function noneBecause(answer: PesapalAnswer): AddressAnswer {
  if (answer.kind === 'account_refused') return { kind: 'refused', text: answer.text };
  const fault = answer.kind === 'answered' && answer.status < 500 ? faultOf(answer.json) : undefined;
  return fault
    ? { kind: 'refused', text: `the notification address: ${describe(fault)}` }
    : { kind: 'unavailable', text: `the notification address: ${answer.text}` };
}

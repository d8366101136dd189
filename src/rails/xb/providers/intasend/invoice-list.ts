/**
 * Looks up a collection by the name that we gave it. The provider documents no such call, and one of its public clients
 * makes it: so it is used where it answers, and left alone for an hour where it says that there is none.
 */
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import { readInvoice, recordOf, type Invoice } from './invoice';

const missingForMs = 60 * 60_000;

export type Found = Invoice | { lost: string };

export function invoiceList(get: (path: string, timeoutMs: number) => Promise<ProviderAnswer>) {
  let missingUntil = 0;
  return {
    async find(apiRef: string, timeoutMs: number): Promise<Found> {
      if (performance.now() < missingUntil) return { lost: 'the provider has no list of invoices' };
      const path = `/api/v1/invoices/?api_ref=${encodeURIComponent(apiRef)}`;
      const answer = await get(path, timeoutMs);
      if (answer.kind !== 'answered') return { lost: answer.text };
      if (answer.status === 404 || answer.status === 405) missingUntil = performance.now() + missingForMs;
      if (answer.status !== 200) return { lost: `${String(answer.status)} ${answer.text}` };
      const [ours, ...others] = invoicesIn(answer.json).filter((invoice) => invoice.apiRef === apiRef);
      if (!ours) return { lost: 'the provider lists no invoice under our name' };
      return others.length === 0 ? ours : { lost: 'the provider lists several invoices under our name' };
    },
  };
}

/** A page of results, or the bare list. */
function invoicesIn(json: unknown): Invoice[] {
  const { results } = recordOf(json);
  const list = Array.isArray(json) ? json : Array.isArray(results) ? results : [];
  return list.flatMap((each: unknown) => readInvoice(recordOf(each)['invoice'] ?? each) ?? []);
}

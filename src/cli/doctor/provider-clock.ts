import { request } from 'undici';
import { aheadByDateHeaderMs } from '../../domain/clock-offset';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import type { ProviderCheckup, ProviderCheckups } from '../../rail-kit/provider-checkups';

/** Passwords, signatures and the life of tokens are made of our time: some seconds are harmless, a minute is not. */
const looksWrongMs = 5_000;
const isWrongMs = 60_000;

const mend = 'the clock of this machine, and of those that run the API and the worker: let NTP set it';

/** Whether the provider can be reached at all, and whether it has the same time as we. */
export function providerClockCheckup({ title, baseUrl, baseUrlSetting }: ProviderCheckups): ProviderCheckup {
  return {
    name: 'clock',
    async examine({ timeoutMs }) {
      const askedAtMs = Date.now();
      try {
        // Whatever it answers to a stranger: its header is what is looked at (RFC 9110, Date).
        const { headers, body } = await request(new URL('/', baseUrl), {
          signal: AbortSignal.timeout(timeoutMs),
        });
        await body.dump();
        const aheadMs = aheadByDateHeaderMs(headers.date, { askedAtMs, answeredAtMs: Date.now() });
        return aheadMs === undefined
          ? [attention(`${title} does not tell its time, so that ours is not compared.`)]
          : [compare(title, aheadMs)];
      } catch (error) {
        const { code, name } = error as NodeJS.ErrnoException;
        return [
          fault(
            `${title} cannot be reached at ${baseUrl} (${code ?? name}).`,
            `${baseUrlSetting}, or the way out of this network: name server, proxy, firewall`,
          ),
        ];
      }
    },
  };
}

/** @param aheadMs the provider's time less ours, at least. */
function compare(title: string, aheadMs: number): Diagnosis {
  const offMs = Math.abs(aheadMs);
  const seconds = String(Math.round(offMs / 1_000));
  if (offMs < looksWrongMs) return ok(`${title} and this machine agree on the time.`);
  const sentence = `This machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} ${title}.`;
  return offMs < isWrongMs ? attention(sentence, mend) : fault(sentence, mend);
}

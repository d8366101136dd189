/** `malipo login`: tries a merchant's keys, and keeps them for the developer's other commands. */
import type { Io, Report } from './answers';
import { merchantApi, taken } from './merchant-api';
import { keysToKeep, writeProfile } from './profile';

export async function login(
  io: Io,
  { profile, merchant }: { profile: string; merchant?: string },
): Promise<Report> {
  const keys = await keysToKeep(io, merchant);
  const { merchant_id, merchant_name } = taken(await merchantApi(keys).get('/api/v1/query_balance'));
  const known = { merchant_id: String(merchant_id), merchant_name: String(merchant_name) };
  const file = await writeProfile(io, profile, { ...keys, ...known });
  return {
    text: `Logged in at ${keys.api_url} as ${known.merchant_name}; the keys are in ${file}, which only you may read.`,
    json: { profile, file, api_url: keys.api_url, ...known },
  };
}

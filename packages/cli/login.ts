/** `malipo login`: checks a merchant's keys, and stores them for the developer's other commands. */
import { ActionError } from '../../src/operator-actions/errors';
import type { Io, Report } from './answers';
import { merchantApi, taken } from './merchant-api';
import { findProfile, keysToKeep, writeProfile } from './profile';

export async function login(
  io: Io,
  { profile, merchant }: { profile: string; merchant?: string },
): Promise<Report> {
  const { source, ...keys } = await keysToKeep(io, merchant);
  const { merchant_id, merchant_name } = taken(
    await merchantApi({ ...keys, source }).get('/api/v1/query_balance'),
  );
  if (typeof merchant_id !== 'string' || typeof merchant_name !== 'string')
    throw new ActionError(`${keys.api_url} answers, but not as the API of Malipo: compare MALIPO_URL.`);
  const known = { merchant_id, merchant_name };
  const earlier = await findProfile(io, profile);
  const file = await writeProfile(io, profile, { ...keys, ...known });
  const isOther = earlier !== undefined && earlier.api_key !== keys.api_key;
  const replaced = isOther ? ` They replace those of ${earlier.merchant_name} at ${earlier.api_url}.` : '';
  return {
    text: `Logged in at ${keys.api_url} as ${known.merchant_name}; the keys are in ${file}, which only you can read.${replaced}`,
    json: { profile, file, api_url: keys.api_url, ...known },
  };
}

/** Reads the body of POST /control/next, and says what would be valid if it is not. */
import type { Behaviour, FaultRule, FaultyCalls } from './faults';

const FIELDS = ['provider', 'call', 'behave', 'times', 'ms', 'where'];
const TIMES_MAX = 100_000;
const MS_MAX = 86_400_000;

export class RuleError extends Error {}

/** @throws RuleError with the invalid field and its valid values. */
export function readFaultRule(
  body: unknown,
  providers: ReadonlyMap<string, FaultyCalls>,
): Omit<FaultRule, 'id'> {
  const fields = recordOf(body, 'The body');
  for (const field of Object.keys(fields)) oneOf(FIELDS, field, 'A field');

  const provider = oneOf([...providers.keys()], fields['provider'], 'provider');
  const calls = providers.get(provider) ?? {};
  const call = oneOf(Object.keys(calls), fields['call'], `call of ${provider}`);
  const faulty = calls[call] ?? { behaviours: [], where: [] };
  const behave = oneOf<Behaviour>(
    faulty.behaviours,
    behaviourText(fields['behave']),
    `behave of ${provider} ${call}`,
  );
  const times = wholeNumber(fields['times'] ?? 1, 'times', 1, TIMES_MAX);
  const rule = { provider, call, behave, times };

  if (fields['ms'] !== undefined && behave !== 'delay' && behave !== 'act_late')
    throw new RuleError('ms goes with "behave":"delay" and "act_late" only');
  return {
    ...rule,
    ...(fields['ms'] !== undefined && { ms: wholeNumber(fields['ms'], 'ms', 0, MS_MAX) }),
    ...(fields['where'] !== undefined && {
      where: readWhere(fields['where'], faulty.where, `${provider} ${call}`),
    }),
  };
}

/** Users type 500 and 429 as numbers or in quotes. */
function behaviourText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function readWhere(value: unknown, allowed: readonly string[], call: string): Record<string, string> {
  const where: Record<string, string> = {};
  for (const [name, wanted] of Object.entries(recordOf(value, 'where'))) {
    if (allowed.length === 0)
      throw new RuleError(`where cannot be used for ${call}: it is not about one payer`);
    oneOf(allowed, name, 'where');
    if (typeof wanted !== 'string') throw new RuleError(`where.${name} must be a string`);
    where[name] = wanted;
  }
  return where;
}

function oneOf<T extends string>(allowed: readonly T[], value: unknown, name: string): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new RuleError(`${name} must be one of: ${allowed.join(', ')}`);
  return found;
}

function wholeNumber(value: unknown, name: string, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RuleError(`${name} must be a whole number from ${String(min)} to ${String(max)}`);
}

function recordOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new RuleError(`${name} must be a JSON object`);
}

export interface StartOptions {
  /** Empties the sandbox first. */
  fresh: boolean;
  demo: boolean;
}

const ownUsage = 'usage: npm start [-- --fresh] [-- --no-demo]';

/** @throws an Error with the usage for anything unknown. */
export function readOptions(args: string[], usage = ownUsage): StartOptions {
  const unknown = args.filter((arg) => arg !== '--fresh' && arg !== '--no-demo');
  if (unknown.length > 0) throw new Error(`unknown option ${unknown.join(' ')}\n${usage}`);
  return { fresh: args.includes('--fresh'), demo: !args.includes('--no-demo') };
}

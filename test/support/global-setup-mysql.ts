/**
 * For tiers that need no other server. Jest calls a module once for all tiers of a run, so each set of servers has its
 * own module.
 */
import { startServers } from './start-servers';

export default (): Promise<void> => startServers(['mysql']);

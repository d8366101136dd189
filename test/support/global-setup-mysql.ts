/** Of tiers that need no other server. Jest calls a module once for all tiers of a run, so that each set of servers has one. */
import { startServers } from './start-servers';

export default (): Promise<void> => startServers(['mysql']);

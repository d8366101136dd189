import { startServers } from './start-servers';

export default (): Promise<void> => startServers(['mysql', 'temporal']);

/** `npm start`: the whole product on this machine, with simulated providers. */
import { startSandbox } from './start-sandbox';
import { runUntilStopped } from './until-stopped';

void runUntilStopped(startSandbox);

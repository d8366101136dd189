/** Ports for servers that bind them in a while, and again after each kill. */
import { isPortFree, randomPort } from '../../tools/sandbox/services/free-port';
import { claimPort, dropClaim } from '../../tools/sandbox/services/port-claims';

export interface PortReserve {
  /** One that nobody listens on, and that no other test takes until it is let go. */
  take(): Promise<number>;
  letGo(): void;
}

export function portReserve(): PortReserve {
  const taken: number[] = [];
  return {
    async take() {
      for (;;) {
        const port = randomPort();
        if (claimPort(port) !== undefined) continue;
        taken.push(port);
        if (await isPortFree(port)) return port;
      }
    },
    letGo() {
      for (const port of taken) dropClaim(port);
    },
  };
}

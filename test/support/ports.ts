/** Ports for servers that bind them later, and again after each kill. */
import { freePort } from '../../tools/sandbox/services/free-port';
import { dropClaim } from '../../tools/sandbox/services/port-claims';

export interface PortReserve {
  /** A free port that no other test gets until this one is released. */
  take(): Promise<number>;
  letGo(): void;
}

export function portReserve(): PortReserve {
  const taken: number[] = [];
  return {
    async take() {
      const port = await freePort();
      taken.push(port);
      return port;
    },
    letGo() {
      for (const port of taken) dropClaim(port);
    },
  };
}

import type { KeptSandbox } from '../../src/cli/kept-sandbox';
import type { ProcessorKeys } from './credentials';
import type { SandboxMerchants } from './sandbox-merchants';
import type { SandboxPortal } from './sandbox-owner';
import type { ProviderName } from './simulated-providers';

/** `.malipo/sandbox.json`: what a script needs to use the sandbox. The cluster has its own file in its folder. */
export interface SandboxDescription extends Omit<KeptSandbox, 'merchants'>, SandboxMerchants {
  /** The operations port: /readyz and /metrics. */
  ops_url: string;
  /** The portal's address, and the login of the first merchant's owner. Not in the cluster. */
  portal?: SandboxPortal;
  providers: SandboxProviders;
}

/** A simulated provider's address, and the credentials of the engine's account there. */
interface DescribedProvider {
  base_url: string;
  /** A second account, for direct calls that bypass the engine. */
  direct?: ProcessorKeys;
  [credential: string]: string | ProcessorKeys | undefined;
}

export type SandboxProviders = Record<ProviderName, DescribedProvider> & {
  cardproc: { direct: ProcessorKeys };
};

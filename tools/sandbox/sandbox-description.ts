import type { KeptSandbox } from '../../src/cli/kept-sandbox';
import type { ProcessorKeys } from './credentials';
import type { SandboxMerchant } from './sandbox-merchants';
import type { SandboxPortal } from './sandbox-owner';
import type { ProviderName } from './simulated-providers';

/** `.malipo/sandbox.json`: what a script needs to use the sandbox. The cluster has one in its own folder. */
export interface SandboxDescription extends KeptSandbox {
  /** Where the API answers operators: /readyz and /metrics. */
  ops_url: string;
  merchants: SandboxMerchant[];
  /** Where the first merchant's owner signs in, and how. Not of the cluster. */
  portal?: SandboxPortal;
  providers: SandboxProviders;
}

/** Where a simulated provider is, and the credentials of the engine's own account there. */
interface DescribedProvider {
  base_url: string;
  /** A second account, for calls that do not pass through the engine. */
  direct?: ProcessorKeys;
  [credential: string]: string | ProcessorKeys | undefined;
}

export type SandboxProviders = Record<ProviderName, DescribedProvider> & {
  cardproc: { direct: ProcessorKeys };
};
